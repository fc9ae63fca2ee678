/** Hooks of ours that see this variable do nothing: a run of ours must not be remembered, nor start another. */
export const MODEL_RUN_VARIABLE = 'KEEPIT_MODEL_RUN';
