import type { Command } from './command';
import { compose } from './commands/compose';
import { compress } from './commands/compress';
import {
  compositionDelete,
  compositionRebuild,
  compositionRename,
  compositionRestore,
  compositions,
  compositionShow,
} from './commands/compositions';
import { configGet, configList, configSet } from './commands/config';
import { decay } from './commands/decay';
import { arrived, deliver, disarm } from './commands/deliver';
import { diff } from './commands/diff';
import { discover } from './commands/discover';
import { doctor } from './commands/doctor';
import { hook, hookWork } from './commands/hooks';
import { keepitAdd, keepitRemove, keepitRestore, keepitWeight } from './commands/keepit';
import { keepits } from './commands/keepits';
import { factConfirm, factEdit, factForget, factReject, facts } from './commands/facts';
import {
  layers,
  layersArchive,
  layersBuild,
  layersDedupe,
  layersDisable,
  layersEnable,
  layersRefine,
  layersRefineAll,
  layersShow,
} from './commands/layers';
import { ledger } from './commands/ledger';
import { mcp } from './commands/mcp';
import { messages } from './commands/messages';
import { notebookAccept, notebookExport, notebookImport, recall, summarize, synthesize } from './commands/notebook';
import { register } from './commands/register';
import {
  memoryCheck,
  memoryFinal,
  memoryGet,
  memoryList,
  memoryMigrateLegacy,
  memoryReset,
  memorySet,
  memorySummarize,
} from './commands/rolling';
import { restore } from './commands/restore';
import { search } from './commands/search';
import { sessions } from './commands/sessions';
import { installHooks, pluginPath, uninstallHooks } from './commands/setup';
import { show } from './commands/show';
import { stats } from './commands/stats';
import { sync } from './commands/sync';
import { trash, trashEmpty } from './commands/trash';
import { unregister } from './commands/unregister';
import { versionDelete, versionRestore, versions, versionShow } from './commands/versions';

/** Every command, in the order in which the help lists them. A new one is a file in `commands/` and a line here. */
export const commands: readonly Command[] = [
  discover,
  show,
  messages,
  sessions,
  register,
  sync,
  unregister,
  restore,
  keepits,
  keepitAdd,
  keepitWeight,
  keepitRemove,
  keepitRestore,
  decay,
  compress,
  versions,
  versionShow,
  versionDelete,
  versionRestore,
  diff,
  compose,
  compositions,
  compositionShow,
  compositionRebuild,
  compositionRename,
  compositionDelete,
  compositionRestore,
  deliver,
  arrived,
  disarm,
  layers,
  layersEnable,
  layersDisable,
  layersBuild,
  layersShow,
  layersRefine,
  layersRefineAll,
  layersDedupe,
  layersArchive,
  facts,
  factConfirm,
  factEdit,
  factReject,
  factForget,
  summarize,
  synthesize,
  recall,
  notebookAccept,
  notebookExport,
  notebookImport,
  memoryCheck,
  memoryFinal,
  memoryMigrateLegacy,
  memoryReset,
  memorySummarize,
  memoryList,
  memoryGet,
  memorySet,
  search,
  stats,
  trash,
  trashEmpty,
  ledger,
  mcp,
  doctor,
  installHooks,
  uninstallHooks,
  pluginPath,
  configList,
  configGet,
  configSet,
  hook,
  hookWork,
];
