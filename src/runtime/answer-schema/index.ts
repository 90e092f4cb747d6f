export { type AnswerSchema, createAnswerSchema } from './answer-schema.ts';
export { runWithSchema, type SchemaRun } from './schema-run.ts';
