import type { Platform } from '../contracts/index.ts';
import { discord } from './discord/index.ts';
import { irc } from './irc/index.ts';
import { ntfy } from './ntfy/index.ts';
import { slack } from './slack/index.ts';
import { telegram } from './telegram/index.ts';

/** The messaging platforms that come with Hermes, in the order in which setup offers them. */
export const PLATFORMS: readonly Platform[] = [telegram, discord, slack, irc, ntfy];
