// Added to `run.js` by the build. Node's own compile cache contains only the code that is compiled before anything
// runs, so every start would compile most functions again, which takes a third of its time. Therefore the large files
// of the program run as scripts, whose compiled code is saved after the functions that a chat needs were compiled.

/**
 * The header of a cache file: the id of the script (16 characters) and its state (8). V8 prefers data aligned to 8
 * bytes.
 */
const HEADER_BYTES = 24;
const PARTIAL = 'begun   ';
const COMPLETE = 'whole   ';

/** Files not written for a month belong to a removed installation or to a process that was killed while writing. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** The scripts of this process with the state of their cache. */
const scripts = [];

/** The copies in a cache file are compared in blocks of this size. */
const BLOCK_BYTES = 256 * 1024;

/** Runs a script of the program and returns its exports; `given` are its imports. */
export function loadCode({ dirname, url }, importModule, { group, file, id }, given) {
  const fs = process.getBuiltinModule('node:fs');
  const script = compile(fs, dirname, { group, file, id });
  // A command without a turn has compiled only a part, which is still better than nothing.
  if (scripts.length === 1) process.once('exit', () => saveCache(PARTIAL, fs));
  return script.runInThisContext()(url, dirname, importModule, () => saveCache(COMPLETE, fs), given);
}

/** A function of its own, so that the cache of some megabytes is garbage before the script runs. */
function compile(fs, dirname, { group, file, id }) {
  const { Script } = process.getBuiltinModule('node:vm');
  const filename = `${dirname}/${file}`;
  const source = readCode(fs, filename, id);
  const cacheFile = cacheFileOf(group, dirname);
  const cached =
    (cacheFile && readCacheFile(fs, cacheFile, id)) ?? readBundled(fs, `${dirname}/compile-cache`, group, id);
  const script = new Script(source, { filename, cachedData: cached?.code });
  const state = script.cachedDataRejected === false ? cached.state : undefined;
  if (cacheFile) scripts.push({ script, cacheFile, id, state, size: state === undefined ? 0 : cached.size });
  return script;
}

/** A script ends with its id. Without it the file is truncated or of another version, and the cache would not match. */
function readCode(fs, filename, id) {
  let source = '';
  try {
    source = fs.readFileSync(filename, 'latin1');
  } catch (thrown) {
    if (thrown?.code !== 'ENOENT') throw thrown;
  }
  if (source.endsWith(id)) return source;
  const fault = new Error(`${filename} is missing, truncated or of another version`);
  // Callers that load a part of the program handle this error code.
  throw Object.assign(fault, { code: 'ERR_MODULE_NOT_FOUND' });
}

/** One file per installation, next to Node's own cache files; undefined if the compile cache is disabled. */
function cacheFileOf(group, dirname) {
  const folder = process.getBuiltinModule('node:module').getCompileCacheDir?.();
  let sum = 0;
  for (let at = 0; at < dirname.length; at += 1) sum = (Math.imul(sum, 31) + dirname.charCodeAt(at)) >>> 0;
  return folder && `${folder}/hermes-${group}-${sum.toString(36)}`;
}

/**
 * The code is stored twice: V8 would run damaged code, and comparing both copies is the fastest check. Only the first
 * copy is kept in memory.
 */
function readCacheFile(fs, file, id) {
  let descriptor;
  try {
    descriptor = fs.openSync(file);
    const length = (fs.fstatSync(descriptor).size - HEADER_BYTES) / 2;
    const header = readBytes(fs, descriptor, 0, HEADER_BYTES).latin1Slice();
    const code = header.startsWith(id) && readBytes(fs, descriptor, HEADER_BYTES, length);
    if (code && isAt(fs, descriptor, HEADER_BYTES + length, code)) {
      return { state: header.slice(id.length), code, size: length };
    }
  } catch {
    // The file will be written again.
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
  return undefined;
}

/** Throws if the file ends before. */
function readBytes(fs, descriptor, from, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (fs.readSync(descriptor, bytes, 0, length, from) !== length) throw new Error('the file is truncated');
  return bytes;
}

function isAt(fs, descriptor, from, bytes) {
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const expected = bytes.subarray(at, at + BLOCK_BYTES);
    const read = fs.readSync(descriptor, block, 0, expected.length, from + at);
    if (!expected.equals(block.subarray(0, read))) return false;
  }
  return true;
}

/**
 * The compile cache that the build saved, for a home without one. V8 rejects a cache from another Node build. The
 * cache counts as partial with size 0, so that the one after the first turn replaces it whatever its size.
 */
function readBundled(fs, folder, group, id) {
  const { env, version, platform, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const cached = readCacheFile(fs, `${folder}/${version}-${platform}-${arch}/${group}`, id);
  return cached && { state: PARTIAL, code: cached.code, size: 0 };
}

/**
 * Saves the code compiled so far: as partial if nothing was saved yet, or as complete. All scripts are saved again if
 * one of them is new, such as that for the first command, because the others have compiled more as well.
 */
function saveCache(state, fs) {
  if (state === COMPLETE && scripts.every((entry) => entry.state === COMPLETE)) return;
  for (const entry of scripts) {
    // Another process may have saved more since this one started.
    if (state === PARTIAL && (entry.state !== undefined || readCacheFile(fs, entry.cacheFile, entry.id))) continue;
    entry.state = state;
    const temporary = `${entry.cacheFile}.${process.pid}`;
    try {
      const code = entry.script.createCachedData();
      // V8 discards code that has not run for a while, so the code may be less than before.
      if (code.length <= entry.size) continue;
      entry.size = code.length;
      const bytes = Buffer.concat([Buffer.from(entry.id + state), code, code]);
      fs.writeFileSync(temporary, bytes, { mode: 0o600 });
      fs.renameSync(temporary, entry.cacheFile);
      if (state === COMPLETE) removeOld(fs, entry.cacheFile);
    } catch {
      // Without the cache startup is only slower.
      remove(fs, temporary);
    }
  }
}

/** Each installation has files of some megabytes here, and nothing else removes them. */
function removeOld(fs, cacheFile) {
  const folder = cacheFile.slice(0, cacheFile.lastIndexOf('/hermes-'));
  for (const name of fs.readdirSync(folder).filter((each) => each.startsWith('hermes-'))) {
    const file = `${folder}/${name}`;
    const isOwn = scripts.some((each) => each.cacheFile === file);
    if (!isOwn && Date.now() - fs.statSync(file).mtimeMs > MAX_AGE_MS) remove(fs, file);
  }
}

/** The folder or the file may no longer exist. */
function remove(fs, file) {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // A leftover file only takes space.
  }
}
