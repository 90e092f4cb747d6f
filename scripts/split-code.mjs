import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';

// As esbuild writes them.
const IMPORT = /import(?:(\{[^{}]*\})from)?"(\.\/[\w.-]+\.js)";/g;
const EXPORT = /export\{([^{}]*)\};/g;
// Of a file beside it, of a package, or of what a function says.
const DYNAMIC = /\bimport\((?="[\w@./-]+"\)|[\w$]+\()/g;
// What a script is given in the place of what only a module has. A package may have a `moduleUrl` of its own.
const [URL_NAME, FOLDER_NAME, IMPORT_NAME] = ['hermesModuleUrl', 'hermesModuleFolder', 'hermesImport'];
const TAKEN = new RegExp(`\\b(?:${URL_NAME}|${FOLDER_NAME}|${IMPORT_NAME})\\b`);

/**
 * Splits a module of the build into a script, whose compiled code can be kept whole (see `load-code.mjs`), and a small
 * module that runs it, with the imports and exports of before. What is exported must not change after it was loaded.
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
  if (TAKEN.test(text)) throw new Error(`${file} has a name that a script is given`);
  if (/\bimport\(/.test(body)) throw new Error(`${file} imports something in a way that is not known`);
  const [exported, ...others] = body.matchAll(EXPORT);
  if (exported === undefined || others.length > 0) throw new Error(`${file} does not export in one place`);
  const pairs = pairsOf(exported[1]);
  const given = `{${imports.flatMap(({ names }) => names.map(([, local]) => local)).join(',')}}`;
  const fields = pairs.map(([local, name]) => (local === name ? name : `${name}:${local}`));
  const head = `"use strict";(function(${URL_NAME},${FOLDER_NAME},${IMPORT_NAME},HERMES_KEEP_CODE,${given}){`;
  const code = `${head}${body.replace(EXPORT, '')};return{${fields.join(',')}}})`;
  // What only a module may have is a fault here.
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

/** `a,b as c` as pairs of what it is called before and after. */
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
