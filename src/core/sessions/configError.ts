import { KeepitError } from '../text/keepitError';

export type ConfigReason = 'unknown-key' | 'invalid-value';

/** A configuration key that does not exist, or a value that it does not take. */
export class ConfigError extends KeepitError {
  readonly reason: ConfigReason;
  readonly key: string;
  /** The keys, or the values, that are allowed. */
  readonly allowed: readonly string[];

  constructor(reason: ConfigReason, key: string, allowed: readonly string[]) {
    super(
      `config-${reason}`,
      reason === 'unknown-key'
        ? { message: `There is no setting ${JSON.stringify(key)}.`, hint: `Settings are: ${allowed.join(', ')}.` }
        : { message: `That is not a value for ${key}.`, hint: `Allowed: ${allowed.join(', ')}.` },
    );
    this.reason = reason;
    this.key = key;
    this.allowed = allowed;
  }
}
