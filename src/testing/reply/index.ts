export * from './plan-reply.ts';
export * from './reply.ts';
export * from './script.ts';
