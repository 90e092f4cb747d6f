// Preloaded into a program: logs which files it loads and when it makes its first request.
const { appendFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { subscribe } = require('node:diagnostics_channel');

const note = (line) => appendFileSync(process.env.LOADED_FILES, `${line}\n`);
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) note(url);
    return nextLoad(url, context);
  },
});
subscribe('http.client.request.start', () => note('request'));
