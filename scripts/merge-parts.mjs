// Split at dynamic imports, the command line consists of about two hundred small files, of which a first answer needs
// sixty, and each file takes startup time. As a single file, all code would be read every time. So the parts that a
// first answer needs are merged into one file, and the others stay separate and import shared code from it.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Merges the parts of a build. `groups` lists the files to create, each with its entry modules; their static imports
 * are included unless an earlier group has them. Returns the file of each group.
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

/** Each file of a build: its text, static imports, exports, and the module that it is the entry of. */
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
    if (entry === undefined) throw new Error(`${module} is no longer imported on demand: remove it from the list`);
    visit(entry[0]);
  }
  return found;
}

// In the format of esbuild; the names contain a hash, so no other text matches.
const STATIC = /import(?:\{([^{}]*)\}from)?"\.\/([\w.-]+\.js)";/g;
const DYNAMIC = /import\("\.\/([\w.-]+\.js)"\)/g;

/** Different parts may export the same name, so each gets a unique alias in the merged file. */
const aliasOf = (part, name) => `${part.replace(/\W/g, '_')}$${name}`;

/** Imports of a part in another merged file come from that file; `shared` collects what it has to export. */
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
    // The entry of the build keeps its export names.
    return `export{${[...(part === file ? exports : []), ...aliases].join(',')}}from"./${part}";`;
  });
  const { outputFiles } = await build({
    // Without this, the name of the working directory would be written into the file.
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

/** Imports of other files stay unchanged. */
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

/** The names of parts already contain a hash of their content. */
function hashOf(names) {
  return createHash('sha256').update(names.sort().join('\n')).digest('hex').slice(0, 8).toUpperCase();
}

// Dynamic imports go through this function, which is hoisted at the end of each file: a real import of a loaded
// module takes a tenth of a millisecond per tool turn. If another version was installed while the program runs, its
// other parts are missing, and the error says so.
const LOAD_PART = `function loadPart(name,load){let known=loadPart.known??=new Map,part=known.get(name);if(part===void 0){part=load().catch(thrown=>{known.delete(name);throw thrown?.code==="ERR_MODULE_NOT_FOUND"?new Error("a part of hermes is missing, probably because another version was installed meanwhile; exit and continue with \`hermes --continue\`",{cause:thrown}):thrown});known.set(name,part)}return part}
`;
