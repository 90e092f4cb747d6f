import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';

// In the format of esbuild.
const IMPORT = /import(?:(\{[^{}]*\})from)?"(\.\/[\w.-]+\.js)";/g;
const EXPORT = /export\{([^{}]*)\};/g;
// An import of a file next to it, of a package, or of a computed name.
const DYNAMIC = /\bimport\((?="[\w@./-]+"\)|[\w$]+\()/g;
// Parameters of a script that replace what only a module has. A package may have a `moduleUrl` of its own.
const [URL_NAME, FOLDER_NAME, IMPORT_NAME] = ['hermesModuleUrl', 'hermesModuleFolder', 'hermesImport'];
const TAKEN = new RegExp(`\\b(?:${URL_NAME}|${FOLDER_NAME}|${IMPORT_NAME})\\b`);

/**
 * Splits a module of the build into a script, whose compiled code can be cached completely (see `load-code.mjs`), and
 * a small module that runs it, with the same imports and exports. Exported values must not change after loading.
 */
export async function splitCode({ folder, file, group, isFirst }) {
  const text = readFileSync(join(folder, file), 'utf8');
  const imports = [];
  const body = text
    .replace(IMPORT, (whole, list) => {
      imports.push({ whole, names: list === undefined ? [] : pairsOf(list.slice(1, -1)) });
      return '';
    })
    .replace(DYNAMIC, `${IMPORT_NAME}(`)
    .replaceAll('import.meta.url', URL_NAME)
    .replaceAll('import.meta.dirname', FOLDER_NAME);
  if (TAKEN.test(text)) throw new Error(`${file} uses a name that is reserved for scripts`);
  if (/\bimport\(/.test(body)) throw new Error(`${file} has an unsupported kind of import`);
  const [exported, ...others] = body.matchAll(EXPORT);
  if (exported === undefined || others.length > 0) throw new Error(`${file} does not have a single export statement`);
  const pairs = pairsOf(exported[1]);
  const given = `{${imports.flatMap(({ names }) => names.map(([, local]) => local)).join(',')}}`;
  const fields = pairs.map(([local, name]) => (local === name ? name : `${name}:${local}`));
  const head = `"use strict";(function(${URL_NAME},${FOLDER_NAME},${IMPORT_NAME},HERMES_SAVE_COMPILE_CACHE,${given}){`;
  const code = `${head}${body.replace(EXPORT, '')};return{${fields.join(',')}}})`;
  // Syntax that only a module may contain is an error here.
  compileFunction(code, [], { filename: file });
  const codeFile = file.replace(/\.js$/, '-code.js');
  const id = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const what = JSON.stringify({ group, file: codeFile, id });
  const stub = [
    ...new Set(imports.map(({ whole }) => whole)),
    ...(isFirst ? [await loader()] : ['import{loadCode}from"./run.js";']),
    `export const{${pairs.map(([, name]) => name).join(',')}}=loadCode(import.meta,name=>import(name),${what},${given});`,
  ];
  writeFileSync(join(folder, codeFile), `${code}//${id}`);
  writeFileSync(join(folder, file), `${stub.join('')}\n`);
}

/** Parses `a,b as c` into pairs of names before and after `as`. */
function pairsOf(list) {
  return list
    .split(',')
    .filter((each) => each !== '')
    .map((each) => each.split(' as '))
    .map(([before, after = before]) => [before, after]);
}

async function loader() {
  const text = readFileSync(join(import.meta.dirname, 'load-code.mjs'), 'utf8');
  return (await transform(text, { minifySyntax: true, minifyWhitespace: true, format: 'esm' })).code.trim();
}
