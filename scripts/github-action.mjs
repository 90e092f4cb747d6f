// The step of action.yml: runs one prompt with Hermes and reports the result to GitHub. docs/github-action.md describes
// it. It needs only Node, and runs locally if the variables of a runner are set.
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readInputs } from './github-action/inputs.mjs';
import { buildPrompt } from './github-action/prompt.mjs';
import { readPullRequest } from './github-action/pull-request.mjs';
import { describeResult } from './github-action/result.mjs';
import { runHermes } from './github-action/run-hermes.mjs';

try {
  process.exitCode = await main(process.env);
} catch (thrown) {
  process.stdout.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
  process.exitCode = 2;
}

async function main(env) {
  const inputs = readInputs(env);
  const checkout = realpathSync(resolve(env.GITHUB_WORKSPACE ?? '.', inputs.workingDirectory));
  const folder = mkdtempSync(join(env.RUNNER_TEMP ?? tmpdir(), 'hermes-'));
  const files = {
    home: join(folder, 'home'),
    // Context files of a directory are instructions. Without `project-instructions` the agent works in an empty one.
    work: inputs.projectInstructions ? checkout : join(folder, 'work'),
    prompt: join(folder, 'prompt.txt'),
    events: join(folder, 'events.jsonl'),
    result: join(folder, 'result.json'),
  };
  for (const each of [files.home, files.work]) mkdirSync(each, { recursive: true });
  const pullRequest = inputs.pullRequest ? readPullRequest(env, checkout, inputs.maxDiffCharacters) : undefined;
  writeFileSync(files.prompt, buildPrompt({ prompt: inputs.prompt, checkout, pullRequest }));
  const result = await runHermes({ inputs, files, checkout, env });
  writeFileSync(files.result, `${JSON.stringify(result, null, 2)}\n`);
  writeOutputs(env.GITHUB_OUTPUT, {
    answer: result.final_response ?? '',
    'exit-reason': result.exit_reason,
    'exit-code': String(result.exit_code),
    'cost-usd': result.cost?.status === 'unknown' ? '' : String(result.cost?.usd ?? ''),
    'result-file': files.result,
    'events-file': files.events,
  });
  const { line, summary } = describeResult(result);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, summary);
  process.stdout.write(`${line}\n`);
  return inputs.fail ? result.exit_code : 0;
}

/** A value ends at a random delimiter, so that it cannot define another output. GitHub accepts 1 MB for all outputs. */
function writeOutputs(file, outputs) {
  if (!file) return;
  for (const [name, value] of Object.entries(outputs)) {
    const delimiter = `end-${randomUUID()}`;
    appendFileSync(file, `${name}<<${delimiter}\n${value.slice(0, 300_000)}\n${delimiter}\n`);
  }
}
