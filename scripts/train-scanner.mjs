// Trains the classifier of the injection scan and writes src/scanning/classifier/weights.ts.
//
//   node scripts/train-scanner.mjs              train with all writers and write the weights
//   node scripts/train-scanner.mjs --validate   train without each writer in turn, and measure with that writer's texts
//   … --validate --writers second,third         only these
//   … --validate --documents FOLDER             also measure with the documents in a folder, which are never trained on
//
// The classifier is a linear support vector machine (L2 loss, dual coordinate descent). Attacks and harmless texts are
// in src/scanning/corpus, one file per writer, composed.json and translated.json. Further harmless texts are passages of
// skills and agent files (agent-documents.jsonl), the *.md files of the packages in node_modules (after `npm ci`), the
// documents and skills of this project, and comments about agents. One text in eight and one package in four are not
// trained on: src/scanning/corpus.test.ts measures with them. The result depends only on the texts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ALPHABET,
  FAMILY_FEATURES,
  familyFeaturesOf,
  MIN_TOKENS,
  scaleOf,
  SKIP,
} from '../src/scanning/classifier/classifier.ts';
import { createFeatureCollector, FEATURE_COUNT, KIND } from '../src/scanning/classifier/features.ts';
import { createTokenizer, isForeign } from '../src/scanning/classifier/tokens.ts';
import {
  isHeldOut,
  readAgentDocuments,
  readCorpus,
  readDocuments,
  readTextsAboutAgents,
  WRITERS,
} from '../src/scanning/corpus.fixture.ts';
import { FAMILIES } from '../src/scanning/families.ts';
import { MAX_PASSAGE_TOKENS, sentencesIn } from '../src/scanning/find-injection.ts';
import { decodeRuns } from '../src/scanning/text/decode.ts';
import { splitIntoSegments } from '../src/scanning/text/segments.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Scores above it are findings. Chosen with `--validate`. */
const THRESHOLD = 0.23;
/** What a passage of two sentences needs in addition. */
const PAIR_PENALTY = 0.25;
/** What a passage in another language needs less: the classifier knows fewer of its words. */
const FOREIGN_BONUS = 0.1;
/** The number of features with a weight, which determines the size of the file. */
const KEPT = 230_000;
/** Features that occur in fewer passages say nothing about other texts. */
const MIN_COUNT = 3;
const COST = 3;
const EPOCHS = 12;
const ROUNDS = 3;
/** A passage has many pairs of meanings, which often say the same; without these factors they outweigh its words. */
const FACTORS = { [KIND.meaning]: 0.7, [KIND.ordered]: 0.5, [KIND.both]: 0.35, [KIND.begins]: 0.6 };
/** Of the passages of documents, every sixth is trained on, and in addition those that are nearly findings. */
const DOCUMENT_SAMPLE = 6;
const NEARLY = -0.9;
/** Features of families that occur less often than this have no weight. */
const MIN_FAMILY_COUNT = 40;
const LEVELS = (ALPHABET.length - 1) / 2;

const tokenize = createTokenizer();
const kinds = new Uint8Array(FEATURE_COUNT);
const collect = createFeatureCollector(kinds);

/** The passages of a text that the scan scores, each with its features. */
function passagesOf(text) {
  const texts = [text, ...decodeRuns(text).map((decoded) => decoded.text)];
  const all = [];
  for (const part of texts) {
    const sentences = splitIntoSegments(part).flatMap((segment) => sentencesIn(segment, tokenize));
    sentences.forEach(({ tokens }, at) => {
      const next = sentences[at + 1]?.tokens ?? [];
      if (tokens.length >= MIN_TOKENS) all.push(passage(tokens, 0));
      const both = [...tokens, ...next];
      if (next.length > 0 && both.length >= MIN_TOKENS && both.length <= MAX_PASSAGE_TOKENS)
        all.push(passage(both, PAIR_PENALTY));
    });
  }
  return all;
}

function passage(tokens, penalty) {
  const { features, count } = collect(tokens);
  return { tokens, features: features.slice(0, count), penalty: penalty - (isForeign(tokens) ? FOREIGN_BONUS : 0) };
}

/** The weights of features, and the bias after the last one. */
function train(attacks, harmless, documents) {
  const negatives = harmless.flatMap(({ passages }) => passages);
  for (const { passages } of documents) negatives.push(...passages.filter((_, at) => at % DOCUMENT_SAMPLE === 0));
  const used = new Set(negatives);
  const rarity = rarityOf([...attacks.flatMap(({ passages }) => passages), ...negatives]);
  let weights;
  for (let round = 0; round < ROUNDS; round++) {
    // Only one passage of an attack has to be found: at first the longest, then the one that is most suspicious.
    const positives = attacks.map(({ passages }) =>
      maxBy(passages, (each) => (weights === undefined ? each.features.length : scoreOf(each, weights))),
    );
    weights = fit(positives, negatives, rarity);
    for (const each of documents.flatMap(({ passages }) => passages)) {
      if (used.has(each) || scoreOf(each, weights) < NEARLY) continue;
      used.add(each);
      negatives.push(each);
    }
  }
  // Fitted again with the features that are kept, so that they make up for the others.
  const positives = attacks.map(({ passages }) => maxBy(passages, (each) => scoreOf(each, weights)));
  const least = leastKept(weights);
  const kept = rarity.map((value, feature) => (Math.abs(weights[feature]) < least ? 0 : value));
  return quantize(fit(positives, negatives, kept));
}

/** The smallest size of the weights that are kept. */
function leastKept(weights) {
  const sizes = weights.slice(0, FEATURE_COUNT).map(Math.abs).sort();
  return Math.max(sizes[FEATURE_COUNT - KEPT], Number.MIN_VALUE);
}

/** How much each feature can say: rare ones more than frequent ones, words more than meanings. */
function rarityOf(passages) {
  const counts = new Float64Array(FEATURE_COUNT);
  for (const { features } of passages) for (const feature of features) counts[feature]++;
  return counts.map((count, feature) =>
    count < MIN_COUNT ? 0 : (Math.log(passages.length / (count + 1)) / 5) * (FACTORS[kinds[feature]] ?? 1),
  );
}

/** Dual coordinate descent for a linear support vector machine with L2 loss. Rarity is included in the weights. */
function fit(positives, negatives, rarity) {
  const samples = [...positives.map((each) => [each, 1]), ...negatives.map((each) => [each, -1])];
  const weights = new Float64Array(FEATURE_COUNT + 1);
  const alphas = new Float64Array(samples.length);
  const norms = samples.map(([{ features }]) => {
    const scale = scaleOf(features.length);
    return features.reduce((sum, feature) => sum + (rarity[feature] * scale) ** 2, 1 + 1 / (2 * COST));
  });
  const random = createRandom(1);
  const order = Int32Array.from(samples.keys());
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (const index of order) {
      const [{ features }, label] = samples[index];
      const scale = scaleOf(features.length);
      let sum = 0;
      for (const feature of features) sum += weights[feature] * rarity[feature];
      const gradient = label * (sum * scale + weights[FEATURE_COUNT]) - 1 + alphas[index] / (2 * COST);
      const alpha = Math.max(0, alphas[index] - gradient / norms[index]);
      const change = (alpha - alphas[index]) * label;
      if (change === 0) continue;
      alphas[index] = alpha;
      for (const feature of features) weights[feature] += change * scale * rarity[feature];
      weights[FEATURE_COUNT] += change;
    }
  }
  return weights.map((weight, feature) => (feature < FEATURE_COUNT ? weight * rarity[feature] : weight));
}

function createRandom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffle(order, random) {
  for (let at = order.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
}

/** Rounds the weights to the levels that the file can store. */
function quantize(weights) {
  const sizes = weights.slice(0, FEATURE_COUNT).map(Math.abs).sort();
  const step = sizes[FEATURE_COUNT - Math.floor(KEPT / 1000)] / LEVELS;
  const levels = Int8Array.from(weights.slice(0, FEATURE_COUNT), (weight) =>
    Math.max(-LEVELS, Math.min(LEVELS, Math.round(weight / step))),
  );
  const rounded = Float64Array.from(weights, (weight, feature) =>
    feature < FEATURE_COUNT ? levels[feature] * step : weight,
  );
  return Object.assign(rounded, { step, levels });
}

function scoreOf({ features, penalty }, weights) {
  let sum = 0;
  for (const feature of features) sum += weights[feature];
  return sum * scaleOf(features.length) + weights[FEATURE_COUNT] - penalty;
}

const bestScore = ({ passages }, weights) => Math.max(-9, ...passages.map((each) => scoreOf(each, weights)));

function maxBy(values, measure) {
  let best = values[0];
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    const size = measure(value);
    if (size > most) [best, most] = [value, size];
  }
  return best;
}

/** Naive Bayes: for each family, how much more frequent a feature is in it than in the others. */
function trainFamilies(attacks) {
  const counts = FAMILIES.map(() => new Float64Array(FAMILY_FEATURES).fill(0.5));
  for (const { family, passages } of attacks) {
    if (family === undefined) continue;
    const { tokens } = maxBy(passages, ({ features }) => features.length);
    for (const feature of familyFeaturesOf(tokens)) counts[FAMILIES.indexOf(family)][feature]++;
  }
  const totals = counts.map((all) => all.reduce((sum, count) => sum + count, 0));
  const isRare = (feature) => counts.reduce((sum, all) => sum + all[feature], 0) < MIN_FAMILY_COUNT;
  const weights = counts.map((all, family) => all.map((count) => Math.log(count / totals[family])));
  return weights.flatMap((all) =>
    Array.from(all, (weight, feature) => {
      if (isRare(feature)) return 0;
      const mean = weights.reduce((sum, other) => sum + other[feature], 0) / weights.length;
      return Math.max(-LEVELS, Math.min(LEVELS, Math.round((weight - mean) * 8)));
    }),
  );
}

/** For each weight that is not zero: the distance from the one before, and the level. */
function encodeSparse(levels) {
  let [text, previous] = ['', -1];
  for (const [index, level] of levels.entries()) {
    if (level === 0) continue;
    const distance = index - previous;
    text += SKIP.repeat(Math.floor(distance / ALPHABET.length)) + ALPHABET[distance % ALPHABET.length];
    text += ALPHABET[level + LEVELS];
    previous = index;
  }
  return text;
}

function writeWeights(weights, families) {
  const lines = [
    '// Generated by scripts/train-scanner.mjs. Do not edit.',
    `export const THRESHOLD = ${THRESHOLD};`,
    `export const PAIR_PENALTY = ${PAIR_PENALTY};`,
    `export const FOREIGN_BONUS = ${FOREIGN_BONUS};`,
    `export const BIAS = ${Number(weights[FEATURE_COUNT].toFixed(6))};`,
    `export const STEP = ${Number(weights.step.toFixed(9))};`,
    `export const FAMILY_WEIGHTS =\n  '${encodeSparse(families)}';`,
    `export const WEIGHTS =\n  '${encodeSparse(weights.levels)}';`,
  ];
  writeFileSync(join(root, 'src/scanning/classifier/weights.ts'), `${lines.join('\n')}\n`);
}

/** Leaves one writer out at a time. */
function validate(texts, documents, measured) {
  const means = [];
  const only = optionOf('--writers')?.split(',');
  for (const writer of only ?? WRITERS) {
    const known = texts.filter((each) => each.writer !== writer);
    const weights = train(known.filter(isAttack), known.filter(isHarmless), documents);
    const own = texts.filter((each) => each.writer === writer);
    const attacks = own.filter(isAttack).map((each) => ({ ...each, score: bestScore(each, weights) }));
    const harmless = own.filter(isHarmless).map((each) => bestScore(each, weights));
    const scores = measured.map((each) => bestScore(each, weights));
    const share = (all, at) => ((100 * all.filter((score) => score > at).length) / all.length).toFixed(1);
    const limitOf = (all, part) => all.toSorted((one, other) => other - one)[Math.floor(all.length * part)];
    const limits = [0.005, 0.01].map((part) => Math.max(limitOf(harmless, part), limitOf(scores, part)));
    means.push(limits);
    const found = attacks.map(({ score }) => score);
    console.log(
      `without ${writer}: at ${THRESHOLD}: attacks ${share(found, THRESHOLD)} %, harmless ${share(harmless, THRESHOLD)} %, documents ${share(scores, THRESHOLD)} %`,
      `; attacks at 0.5 %: ${share(found, limits[0])} % (${limits[0].toFixed(2)}), at 1 %: ${share(found, limits[1])} % (${limits[1].toFixed(2)})`,
    );
    if (process.argv.includes('--families')) {
      for (const family of [...FAMILIES, undefined]) {
        const of = attacks.filter((each) => each.family === family).map(({ score }) => score);
        if (of.length > 0) console.log(`  ${family}: ${share(of, THRESHOLD)} % of ${of.length}`);
      }
    }
  }
  console.log(
    'mean thresholds',
    [0, 1].map((at) => means.reduce((sum, each) => sum + each[at], 0) / means.length),
  );
}

function optionOf(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const isAttack = ({ isAttack: attacks }) => attacks;
const isHarmless = ({ isAttack: attacks }) => !attacks;

function main() {
  const rows = WRITERS.flatMap((writer) => readCorpus(writer).map((row) => ({ ...row, writer })));
  rows.push(...readAgentDocuments());
  const texts = rows
    .map((row) => ({ ...row, passages: passagesOf(row.text) }))
    .filter(({ passages }) => passages.length > 0);
  const all = [...readDocuments(), ...readTextsAboutAgents()].map((document) => ({
    ...document,
    passages: passagesOf(document.text),
  }));
  const documents = all.filter((document) => !document.isHeldOut);
  if (process.argv.includes('--validate')) {
    const folder = optionOf('--documents');
    const others =
      folder === undefined ? [] : readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const trained = new Set(documents.map(({ text }) => text));
    const unseen = others.filter((text) => !trained.has(text)).map((text) => ({ passages: passagesOf(text) }));
    return validate(texts, documents, [...all.filter((document) => document.isHeldOut), ...unseen]);
  }
  const trained = texts.filter(({ text }) => !isHeldOut(text));
  const attacks = trained.filter(isAttack);
  const weights = train(attacks, trained.filter(isHarmless), documents);
  writeWeights(weights, trainFamilies(attacks));
}

main();
