import { HermesError } from '../base/index.ts';

/** Why a browser did not do what it was asked to, in words for whoever asked. */
export class BrowserFailure extends HermesError {}
