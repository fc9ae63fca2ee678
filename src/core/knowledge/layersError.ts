import { expectedFailure } from '../text/keepitError';

/** Layers that cannot be read, built or changed as was asked. What was there before is still there. */
export class LayersError extends expectedFailure('layers-', {
  'not-enabled': (project) => ({
    message: `Layers are not enabled for ${project}.`,
    hint: '`keepit layers enable` says what would be written and where; nothing is written before.',
  }),
  'no-project': () => ({
    message: 'Layers belong to one project, and none was named.',
    hint: 'Call it in the folder of a project, or name one with --project.',
  }),
  'no-folder': (path) => ({
    message: `The project's folder ${path === '' ? 'is not known' : `${path} is not there`}.`,
    hint: '`keepit layers enable --location home` keeps the layers in the store instead.',
  }),
  'not-writable': (path) => ({
    message: `${path} cannot be written to.`,
    hint: '`keepit layers enable --location home` keeps the layers in the store instead.',
  }),
  'unknown-fact': (id) => ({ message: `There is no fact ${id}.`, hint: '`keepit facts --all` lists all of them.' }),
  'empty-fact': (id) => ({
    message: `Fact ${id} cannot be left without words.`,
    hint: `\`keepit fact forget ${id}\` takes it out.`,
  }),
  'queue-full': (count) => ({
    message: `${count} proposed facts wait for a word already.`,
    hint: '`keepit facts --review` lists them; confirm or reject some first.',
  }),
  newer: (file) => ({
    message: `${file} was written by a newer Keepit.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  'not-built': (layer) => ({
    message: `There is no ${layer} yet.`,
    hint: '`keepit layers build` builds the layers.',
  }),
  'not-promotable': (id) => ({
    message: `${id} is no rule or decision that you stated or confirmed.`,
    hint: '`keepit facts` lists them; `keepit fact confirm ID` confirms one that is proposed.',
  }),
  'not-text': (file) => ({
    message: `${file} is no UTF-8 text.`,
    hint: 'Save it as UTF-8; nothing was changed.',
  }),
  'reading-busy': () => ({
    message: 'Another process has sessions read already.',
    hint: 'Wait until it is done; one at a time asks a model.',
  }),
}) {}
