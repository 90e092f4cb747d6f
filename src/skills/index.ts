export { createSkillLibrary } from './library.ts';
export { findProjects } from './places.ts';
export { reasonAgainst } from './requirements.ts';
