// Split by import, the command line is some two hundred small files, of which one answer needs sixty, and each costs a
// start. In one file all of it is read, whatever is needed. So the parts that a first answer needs become one file, and
// the others stay as they are and take what they share from it.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Puts the parts of a build together. `groups` names the files to be made, each with the modules it begins with; what
 * these import at once comes along, unless an earlier group has it. Returns the file of each group.
 */
export async function mergeParts({ metafile, folder, groups }) {
  const parts = readParts(metafile, folder);
  const fileOf = new Map();
  const files = new Map();
  for (const [group, modules] of Object.entries(groups)) {
    const own = [...closureOf(parts, modules)].filter((part) => !fileOf.has(part));
    const file = parts.has(`${group}.js`) ? `${group}.js` : `part-${group}-${hashOf(own)}.js`;
    for (const part of own) fileOf.set(part, file);
    files.set(group, file);
  }
  for (const [user, part] of parts) part.text = redirect(part.text, fileOf.get(user), parts, fileOf);
  const made = [];
  for (const file of new Set(fileOf.values())) made.push([file, await mergeGroup(file, folder, parts, fileOf)]);
  for (const [name, { text }] of parts) {
    if (fileOf.has(name)) rmSync(join(folder, name));
    else made.push([name, text]);
  }
  for (const [name, text] of made) writeFileSync(join(folder, name), `${text}${LOAD_PART}`);
  return files;
}

/** Each file of a build: its text, what it imports at once, what it exports, and the module it is the entry of. */
function readParts(metafile, folder) {
  const described = Object.entries(metafile.outputs).map(([path, { imports, exports, entryPoint }]) => {
    const needs = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
    const text = readFileSync(join(folder, basename(path)), 'utf8');
    return [
      basename(path),
      { text, exports, entryPoint, needs: needs.map((each) => basename(each.path)), shared: new Set() },
    ];
  });
  return new Map(described);
}

function closureOf(parts, modules) {
  const found = new Set();
  const visit = (part) => {
    if (found.has(part)) return;
    found.add(part);
    for (const next of parts.get(part).needs) visit(next);
  };
  for (const module of modules) {
    const entry = [...parts].find(([, { entryPoint }]) => entryPoint === module);
    if (entry === undefined) throw new Error(`${module} is not imported on demand any more: take it off the list`);
    visit(entry[0]);
  }
  return found;
}

// As esbuild writes them; the names have a hash in them, so no text of ours is taken for one.
const STATIC = /import(?:\{([^{}]*)\}from)?"\.\/([\w.-]+\.js)";/g;
const DYNAMIC = /import\("\.\/([\w.-]+\.js)"\)/g;

/** Parts have names of their own for what they export; in one file each needs another. */
const aliasOf = (part, name) => `${part.replace(/\W/g, '_')}$${name}`;

/** What a part has from one in another merged file, it gets from that file; `shared` notes what that has to export. */
function redirect(text, own, parts, fileOf) {
  const isElsewhere = (part) => fileOf.has(part) && fileOf.get(part) !== own;
  return text
    .replace(STATIC, (whole, list, part) => {
      if (!isElsewhere(part)) return whole;
      if (list === undefined) return `import"./${fileOf.get(part)}";`;
      const names = list.split(',').map((each) => {
        const [name, local = name] = each.split(' as ');
        parts.get(part).shared.add(name);
        return `${aliasOf(part, name)} as ${local}`;
      });
      return `import{${names.join(',')}}from"./${fileOf.get(part)}";`;
    })
    .replace(DYNAMIC, (whole, part) => {
      if (!parts.has(part) || (own !== undefined && fileOf.get(part) === own)) return whole;
      if (!fileOf.has(part)) return `loadPart("${part}",()=>${whole})`;
      const { exports, shared } = parts.get(part);
      for (const name of exports) shared.add(name);
      const fields = exports.map((name) => `${name}:all.${aliasOf(part, name)}`);
      return `loadPart("${part}",()=>import("./${fileOf.get(part)}").then(all=>({${fields.join(',')}})))`;
    });
}

async function mergeGroup(file, folder, parts, fileOf) {
  const own = [...fileOf].filter(([, each]) => each === file).map(([part]) => part);
  const lines = own.map((part) => {
    const { exports, shared } = parts.get(part);
    const aliases = [...shared].map((name) => `${name} as ${aliasOf(part, name)}`);
    // The entry of the build keeps its own names.
    return `export{${[...(part === file ? exports : []), ...aliases].join(',')}}from"./${part}";`;
  });
  const { outputFiles } = await build({
    // Else its name would be in the file.
    absWorkingDir: folder,
    stdin: { contents: lines.filter((line) => !line.startsWith('export{}')).join('\n'), resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node22.22',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    plugins: [onlyParts(own, folder, parts)],
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** Whatever is not of this file stays where it is. */
function onlyParts(own, folder, parts) {
  return {
    name: 'only-parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        own.includes(path.slice(2)) ? { path: join(folder, path.slice(2)) } : { path, external: true },
      );
      onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: parts.get(basename(path)).text, loader: 'js' }));
    },
  };
}

/** The names of parts already have a hash of what is in them. */
function hashOf(names) {
  return createHash('sha256').update(names.sort().join('\n')).digest('hex').slice(0, 8).toUpperCase();
}

// Imports of other files go through this, at the end of each file and hoisted: a real import of what is there already
// takes a tool turn a tenth of a millisecond. A program that runs while another version takes its place finds its other
// parts gone, and says so.
const LOAD_PART = `function loadPart(name,load){let known=loadPart.known??=new Map,part=known.get(name);if(part===void 0){part=load().catch(thrown=>{known.delete(name);throw thrown?.code==="ERR_MODULE_NOT_FOUND"?new Error("a part of hermes is gone, as it is when another version was installed meanwhile; leave this one and go on with \`hermes --continue\`",{cause:thrown}):thrown});known.set(name,part)}return part}
`;
