import { ForgettingError, TransferError } from './memoryPorts';
import { CompositionError } from './compositions/compositionError';
import { KeepitMarkError } from './keepits/keepitMarkError';
import { LayersError, NotebookError } from './knowledge/layerStore';
import { OtherToolError } from './knowledge/otherTools/otherTools';
import { SetupError } from './claude/setup/setupTypes';
import { StoreError } from './model/host';
import { SearchError } from './search/searchDocument';
import { ConfigError } from './sessions/configSettings';
import { LinkError } from './sessions/links';
import { SessionLookupError } from './sessions/sessionLookupError';
import { TokenRanksError } from './text/tokens/rankTable';
import { TranscriptUnreadableError } from './transcript/claudeFolder';
import { CompressionError } from './versions/compressionJob';
import { SummarizerError } from './versions/models/modelCaller';

/** The classes of what operations fail with, by their names, which no bundler shortens here. */
export const expectedErrors = {
  CompositionError,
  CompressionError,
  ConfigError,
  ForgettingError,
  KeepitMarkError,
  LayersError,
  LinkError,
  NotebookError,
  OtherToolError,
  SearchError,
  SessionLookupError,
  SetupError,
  StoreError,
  SummarizerError,
  TokenRanksError,
  TransferError,
  TranscriptUnreadableError,
} as const;
