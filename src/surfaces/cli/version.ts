declare const HERMES_VERSION: string | undefined;

/** Set by the build; running from the sources has no version. */
export const VERSION = typeof HERMES_VERSION === 'string' ? HERMES_VERSION : '0.0.0-sources';
