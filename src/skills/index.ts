export { createSkillLibrary } from './library.ts';
export { findProjects } from './skill-directories.ts';
export { findUnmetRequirement } from './requirements.ts';
