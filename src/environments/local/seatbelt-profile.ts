import { dirname, join } from 'node:path';
import type { ProjectGuard } from './project-guards.ts';
import { depthOf, isWithinAny, SANDBOX_FOLDER, type SandboxView } from './sandbox-view.ts';

/** A place and what commands may do with everything in it. */
type Place = { path: string; access: 'writable' | 'readable' | 'hidden' };

/** What a profile depends on besides the view, with links resolved. */
export type ProfileFacts = {
  /** The hidden places that exist. */
  hidden: readonly string[];
  /** The temporary folders that the private one replaces. */
  temporaryFolders: readonly string[];
  guards: readonly ProjectGuard[];
};

/**
 * Services that programs need to start, to know users, to log and to verify certificates. Everything else is denied,
 * because launchd, Apple events and the desktop run commands outside the sandbox, and the keychain has credentials.
 */
const SERVICES = [
  'com.apple.FSEvents',
  'com.apple.PowerManagement.control',
  'com.apple.bsd.dirhelper',
  'com.apple.cfprefsd.agent',
  'com.apple.cfprefsd.daemon',
  'com.apple.diagnosticd',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.trustd',
  'com.apple.trustd.agent',
];

const NETWORK_SERVICES = [
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.SystemConfiguration.configd',
  'com.apple.dnssd.service',
  'com.apple.mDNSResponder',
  'com.apple.networkd',
];

/** Facts about the machine. `kern.procargs2` is missing, because it shows the variables of other processes. */
const SYSTEM_FACTS =
  'argmax boottime hostname hv_vmm_present iossupportversion maxfilesperproc maxproc ngroups osproductversion osrelease ostype osvariant_status osversion secure_kernel usrstack64 version'
    .split(' ')
    .map((name) => `kern.${name}`);

/** Sockets of services, such as that of Docker. */
const SERVICE_SOCKETS = '/private/var/run';
/** The socket through which names are resolved. */
const NAME_SERVICE = `${SERVICE_SOCKETS}/mDNSResponder`;

/**
 * The Seatbelt profile of a sandbox. The last rule that matches an operation decides, so places are sorted by depth: a
 * working directory inside a hidden folder stays visible, and a hidden folder inside the working directory stays
 * hidden.
 */
export function seatbeltProfile(view: SandboxView, facts: ProfileFacts): string {
  const places = findPlaces(view, facts);
  return [
    '(version 1)',
    '(deny default)',
    ...processRules(),
    ...deviceRules(),
    '(allow file-read* file-test-existence file-map-executable)',
    ...networkRules(view.network),
    ...places.flatMap(({ path, access }) => placeRules(access, subpath(path))),
    ...socketRules(places, view.network),
    ...facts.guards.flatMap(({ forbidden }) => forbidden).map((path) => `(deny file-write* ${literal(path)})`),
    ...passages(places).map((path) => `(allow file-read-metadata file-test-existence ${literal(path)})`),
    ...anchors(places, facts).map((path) => `(deny file-write-unlink ${literal(path)})`),
    '',
  ].join('\n');
}

/** A string of the profile language. Only these two characters have a meaning inside quotes. */
export function quoteProfileString(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

const subpath = (path: string) => `(subpath ${quoteProfileString(path)})`;
const literal = (path: string) => `(literal ${quoteProfileString(path)})`;

function findPlaces(view: SandboxView, { hidden, temporaryFolders, guards }: ProfileFacts): Place[] {
  const shown: Place[] = [
    ...[view.workingDirectory, ...(view.addedFolders ?? [])].map((path): Place => ({ path, access: 'writable' })),
    ...view.visible.map(({ path, writable }): Place => ({ path, access: writable ? 'writable' : 'readable' })),
    { path: join(view.folder, SANDBOX_FOLDER.tmp), access: 'writable' },
  ];
  const isShown = (path: string) => shown.some((place) => place.path === path);
  const places: Place[] = [
    ...temporaryFolders.filter((path) => !isShown(path)).map((path): Place => ({ path, access: 'hidden' })),
    ...shown,
    ...hidden.filter((path) => !isShown(path)).map((path): Place => ({ path, access: 'hidden' })),
    ...guards.flatMap(({ readOnly }) => readOnly.map((path): Place => ({ path, access: 'readable' }))),
  ];
  return places.sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

function placeRules(access: Place['access'], filter: string): string[] {
  const [read, write] = ['file-read* file-test-existence file-map-executable', 'file-write*'];
  if (access === 'writable') return [`(allow ${read} ${write} ${filter})`];
  if (access === 'hidden') return [`(deny ${read} ${write} ${filter})`];
  return [`(allow ${read} ${filter})`, `(deny ${write} ${filter})`];
}

/** Commands can start programs, and signal and inspect only processes of the same sandbox. */
function processRules(): string[] {
  return [
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow ipc-posix-sem ipc-posix-shm*)',
    '(allow user-preference-read)',
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name "${name}")`).join(' ')})`,
    '(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))',
    `(allow sysctl-read (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg") ${SYSTEM_FACTS.map((name) => `(sysctl-name "${name}")`).join(' ')})`,
  ];
}

/** Of the terminals, commands can open those that they create and the one that they were started in. */
function deviceRules(): string[] {
  const devices = ['null', 'zero', 'random', 'urandom', 'tty', 'ptmx', 'dtracehelper', 'stdout', 'stderr'];
  return [
    '(allow pseudo-tty)',
    `(allow file-write* file-ioctl ${devices.map((name) => literal(`/dev/${name}`)).join(' ')} ${subpath('/dev/fd')})`,
    '(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))',
    '(allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  ];
}

function networkRules(network: boolean): string[] {
  if (!network) return ['(allow system-socket (socket-domain AF_UNIX))'];
  return [
    '(allow system-socket)',
    '(allow network*)',
    `(allow mach-lookup ${NETWORK_SERVICES.map((name) => `(global-name "${name}")`).join(' ')})`,
    '(allow sysctl-read (sysctl-name-prefix "net.routetable."))',
    `(deny network-outbound (remote unix-socket ${subpath(SERVICE_SOCKETS)}))`,
    `(allow network-outbound ${literal(NAME_SERVICE)})`,
  ];
}

/** Sockets in files follow the files: without network, only those in shown places; with it, all except in hidden ones. */
function socketRules(places: readonly Place[], network: boolean): string[] {
  return places.flatMap(({ path, access }) => {
    const [remote, local] = [`(remote unix-socket ${subpath(path)})`, `(local unix-socket ${subpath(path)})`];
    if (access === 'hidden') return [`(deny network-outbound ${remote})`];
    if (network) return [`(allow network-outbound ${remote})`];
    return [
      `(allow network-outbound ${remote})`,
      ...(access === 'writable' ? [`(allow network-bind network-inbound ${local})`] : []),
    ];
  });
}

/** Folders above shown places that are inside hidden ones. Without their metadata no path can be resolved. */
function passages(places: readonly Place[]): string[] {
  const hidden = places.filter(({ access }) => access === 'hidden').map(({ path }) => path);
  const shown = places.filter(({ access }) => access !== 'hidden');
  const above = shown.flatMap(({ path }) => ancestors(path));
  return [...new Set(above)].filter((path) => isWithinAny(path, hidden));
}

/**
 * Folders in writable places that contain something protected, and the places themselves. Rules are about paths: if such
 * a folder could be renamed, what it contains would be at a path without rules.
 */
function anchors(places: readonly Place[], { guards }: ProfileFacts): string[] {
  const writable = places.filter(({ access }) => access === 'writable').map(({ path }) => path);
  const protectedPaths = [
    ...places.filter(({ access }) => access !== 'writable').map(({ path }) => path),
    ...guards.flatMap((guard) => [...guard.forbidden, ...guard.writable.map((path) => join(path, 'x'))]),
  ];
  const above = protectedPaths.flatMap(ancestors).filter((path) => isWithinAny(path, writable));
  return [...new Set([...writable, ...above])];
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}
