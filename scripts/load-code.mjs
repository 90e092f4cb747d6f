// Put into `run.js` by the build. Node keeps compiled code between starts, but only as it is before anything has run:
// most functions are compiled again by every start, which is a third of it. So the large files of the program are run as
// scripts, whose compiled code can be kept when the functions that a chat needs have been compiled.

/** Before the code: of which script it is, with 16 letters, and its state. The engine likes what begins at a multiple of 8. */
const HEAD = 24;
const BEGUN = 'begun   ';
const WHOLE = 'whole   ';

/** What nobody made anew for a month was of a place that is gone, or of a process that was killed while it wrote. */
const OLD_MS = 30 * 24 * 60 * 60 * 1000;

/** The scripts of this process, and what was kept of each. */
const scripts = [];

/** Runs a script of the program and returns what it exports; `given` is what it has from others. */
export function loadCode({ dirname, url }, importModule, { group, file, id }, given) {
  const fs = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  const filename = `${dirname}/${file}`;
  const source = readCode(fs, filename, id);
  const keptFile = placeOf(group, dirname);
  const kept = (keptFile && readKept(fs, keptFile, id)) ?? readBundled(fs, `${dirname}/compile-cache`, group, id);
  const script = new Script(source, { filename, cachedData: kept?.code });
  const state = script.cachedDataRejected === false ? kept.state : undefined;
  if (keptFile) scripts.push({ script, keptFile, id, state, size: state === undefined ? 0 : kept.size });
  // Better a little than nothing: a command that is no chat has compiled a part of it.
  if (scripts.length === 1) process.once('exit', () => keep(BEGUN, fs));
  return script.runInThisContext()(url, dirname, importModule, () => keep(WHOLE, fs), given);
}

/** The script ends with its id: of another version, or cut off, it would be run with what was kept of this one. */
function readCode(fs, filename, id) {
  let source = '';
  try {
    source = fs.readFileSync(filename, 'latin1');
  } catch (thrown) {
    if (thrown?.code !== 'ENOENT') throw thrown;
  }
  if (source.endsWith(id)) return source;
  const fault = new Error(`${filename} is missing, cut off or of another version`);
  // Whoever asks for a part knows what that means.
  throw Object.assign(fault, { code: 'ERR_MODULE_NOT_FOUND' });
}

/** One file per place of the program, beside what Node keeps; undefined where nothing is kept. */
function placeOf(group, dirname) {
  const folder = process.getBuiltinModule('node:module').getCompileCacheDir?.();
  let sum = 0;
  for (let at = 0; at < dirname.length; at += 1) sum = (Math.imul(sum, 31) + dirname.charCodeAt(at)) >>> 0;
  return folder && `${folder}/hermes-${group}-${sum.toString(36)}`;
}

/** The code stands there twice: the engine would run what was damaged, and comparing is the fastest check there is. */
function readKept(fs, file, id) {
  try {
    const bytes = fs.readFileSync(file);
    const [of, state] = [bytes.toString('latin1', 0, 16), bytes.toString('latin1', 16, HEAD)];
    const middle = HEAD + (bytes.length - HEAD) / 2;
    const code = bytes.subarray(HEAD, middle);
    if (of === id && code.equals(bytes.subarray(middle))) return { state, code, size: code.length };
  } catch {
    // It is made anew.
  }
  return undefined;
}

/**
 * The compile cache that the build has made, for a home that has none yet. V8 rejects that of another build of Node. It
 * counts as begun and of no size: the first turn, with the user's own provider, is saved whatever its size.
 */
function readBundled(fs, folder, group, id) {
  const { env, version, platform, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const kept = readKept(fs, `${folder}/${version}-${platform}-${arch}/${group}`, id);
  return kept && { state: BEGUN, code: kept.code, size: 0 };
}

/**
 * Writes down what is compiled by now: for the time being where nothing was kept, or for good. With a script that is new,
 * such as that of the first command, the others have compiled more as well.
 */
function keep(state, fs) {
  if (state === WHOLE && scripts.every((entry) => entry.state === WHOLE)) return;
  for (const entry of scripts) {
    // Another process may have kept more since this one began.
    if (state === BEGUN && (entry.state !== undefined || readKept(fs, entry.keptFile, entry.id))) continue;
    entry.state = state;
    const temporary = `${entry.keptFile}.${process.pid}`;
    try {
      const code = entry.script.createCachedData();
      // The engine drops code that has not run for long, so there may be less than there was.
      if (code.length <= entry.size) continue;
      entry.size = code.length;
      const bytes = Buffer.concat([Buffer.from(entry.id + state), code, code]);
      fs.writeFileSync(temporary, bytes, { mode: 0o600 });
      fs.renameSync(temporary, entry.keptFile);
      if (state === WHOLE) removeOld(fs, entry.keptFile);
    } catch {
      // A start without it is slower, and no less right.
      remove(fs, temporary);
    }
  }
}

/** Each place of the program has files of some megabytes here, and nothing else would ever remove them. */
function removeOld(fs, keptFile) {
  const folder = keptFile.slice(0, keptFile.lastIndexOf('/hermes-'));
  for (const name of fs.readdirSync(folder).filter((each) => each.startsWith('hermes-'))) {
    const file = `${folder}/${name}`;
    const isOwn = scripts.some((each) => each.keptFile === file);
    if (!isOwn && Date.now() - fs.statSync(file).mtimeMs > OLD_MS) remove(fs, file);
  }
}

/** The folder may be gone, or a file by now. */
function remove(fs, file) {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // What is there costs room and nothing else.
  }
}
