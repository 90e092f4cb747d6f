// A chat that simply starts needs none of these, so their code is loaded on demand.

type Description = typeof import('./describe-routes.ts');
type Offline = typeof import('./open-offline.ts');

export const describeRoutes: Description['describeRoutes'] = async (settings, flags) =>
  (await import('./describe-routes.ts')).describeRoutes(settings, flags);

export const openOffline: Offline['openOffline'] = async (settings, flags) =>
  (await import('./open-offline.ts')).openOffline(settings, flags);
