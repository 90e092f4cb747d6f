import { hostOf, isPrivateHost } from '../files/hosts.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';

/** Programs that record the microphone, the camera or the keys of the user. */
const RECORDERS: readonly ProgramRow[] = [
  ['arecord parecord parec pw-record rec', /^(?!-l|-L|--list|--version)/],
  ['sox', /(?:^|\s)(?:-d|--default-device|-t (?:alsa|pulseaudio|coreaudio|waveaudio))\s/],
  [
    'imagesnap fswebcam streamer uvccapture libcamera-still libcamera-vid rpicam-still rpicam-vid raspistill raspivid',
    /^(?!-l\b|--list)/,
  ],
  ['ffmpeg', /-f (?:avfoundation|v4l2|alsa|pulse|dshow|oss)\b.*-i\s/, /-list_devices|-list_formats|-sources\b/],
  ['xinput', /^test(?:-xi2)?\b/],
  ['logkeys lkl keylogger evtest showkey', /^(?!--(?:help|version|query))/],
];

/** Miners, and clients that lend the machine to others. */
const MINERS: readonly ProgramRow[] = [
  [
    'xmrig cpuminer minerd cgminer bfgminer ethminer t-rex lolMiner nbminer phoenixminer gminer srbminer-multi teamredminer',
    /\S/,
  ],
  ['peer2profit honeygain packetstream traffmonetizer earnapp', /^(?!status|--version)/],
];

const LOAD_TESTS =
  'ab wrk wrk2 hey vegeta siege k6 locust artillery oha bombardier autocannon plow drill slowhttptest'.split(' ');

/** A load test of a host that is not in a private network, which may be the live system. */
function loadsPublicHost({ args, input, fedBy, suspected }: ShellCommand): boolean {
  const words = [...args, ...(input?.split(/\s+/) ?? []), ...fedBy.flatMap((source) => source.args)];
  const addresses = words.flatMap((word) => /https?:\/\/[^\s"']+/.exec(word)?.[0] ?? []);
  return !suspected && addresses.map(hostOf).some((host) => host !== '' && !isPrivateHost(host));
}

/** Uses of the machine that have nothing to do with a project. */
export const MACHINE_USE_RULES: readonly CommandRule[] = [
  tableRule('record the user', RECORDERS),
  tableRule('use the machine for others', MINERS),
  {
    rule: 'load another machine',
    commands: LOAD_TESTS,
    everydayName: true,
    byArguments: true,
    when: (command) => !isHelpOrDryRun(command) && loadsPublicHost(command),
  },
];
