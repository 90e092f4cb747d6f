import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Programs that publish packages, images, applications and sites, or change who may. */
const PUBLISHERS: readonly ProgramRow[] = [
  {
    programs: 'npm pnpm',
    asks: /^(?:token (?:create|revoke|delete)|org (?:set|rm)|hook (?:add|rm|update)|stage publish|profile (?:set|enable-2fa|disable-2fa)|star|trust)\b/,
  },
  {
    programs: 'yarn',
    asks: /^(?:workspaces foreach\b.*\bnpm publish|workspace \S+ (?:npm )?publish|npm (?:publish|tag (?:add|remove)))\b/,
  },
  {
    programs: 'release-it np auto beachball shipjs bumpp',
    asks: /^(?!.*(?:--preview|--ci-check|\bcheck\b|\bchangefile\b|--no-publish|--release-version))/,
  },
  { programs: 'nx', asks: /^release\b(?!.*(?:--skip-publish|plan))/ },
  { programs: 'rush', asks: /^publish\b.*(?:--publish|-p\b)/ },
  { programs: 'web-ext', asks: /^sign\b/ },
  { programs: 'chrome-webstore-upload', asks: /\S/ },
  { programs: 'cargo', asks: /^(?:release\b.*(?:--execute|-x)|workspaces publish|ws publish|login)\b/ },
  { programs: 'release-plz', asks: /^release\b/ },
  { programs: 'pdm maturin rye', asks: /^(?:publish|upload)\b/ },
  { programs: 'rake', asks: /(?:^|\s)(?:release(?!:guard)\S*|gem:push|release:rubygem_push)(?:\s|$)/ },
  {
    programs: 'mvn mvnw',
    asks: /(?:^|\s)(?:\S+:)?(?:deploy|release:perform|jib:build|deploy-file|dockerfile:push|site-deploy|nexus-staging:release)(?:\s|$)/,
  },
  {
    programs: 'gradle gradlew',
    asks: /(?:^|\s|:)(?:jib|publish(?!ToMavenLocal)\w*|closeAndRelease\w*|uploadArchives|bintrayUpload|releaseSonatype\w*|publishPlugins)(?:\s|$)/,
  },
  { programs: 'jreleaser', asks: /^(?:full-release|release|deploy|publish|upload|announce)\b/ },
  { programs: 'sbt', asks: /(?:^|\s)\+?\S*(?:publish(?!Local|M2)\w*|release|sonatype\w+)(?:\s|$)/ },
  { programs: 'lein', asks: /^(?:deploy|release)\b/ },
  { programs: 'clojure clj', asks: /^-[TX]\S* \S*deploy\b/ },
  { programs: 'paket choco nuget', asks: /^(?:push|delete)\b/ },
  { programs: 'pod', asks: /^trunk (?:push|delete|deprecate|add-owner|remove-owner)\b|^repo push\b/ },
  { programs: 'swift', asks: /^package-registry publish\b/ },
  { programs: 'mix', asks: /^hex\.(?:publish|retire|owner|organization)\b/ },
  { programs: 'rebar3', asks: /^hex (?:publish|retire|owner|cut)\b/ },
  { programs: 'anaconda conda', asks: /^upload\b/ },
  {
    programs: 'cpan-upload dput debrelease copr-cli winget',
    asks: /^(?:(?:build|delete|create|submit)\b|.*\.(?:tar\.gz|changes)$|-?\S*ppa:)/,
  },
  { programs: 'dzil minil shipit', asks: /^release\b|^$/ },
  { programs: 'stack cabal', asks: /^upload\b(?!.*--dry-run)/ },
  {
    programs: 'opam elm elm-package spago typst wapm wasmer ko jsr carthage dub nimble haxelib esy',
    asks: /^(?:publish|submit|upload|unpublish)\b|--push\b/,
  },
  { programs: 'helm', asks: /^(?:push|cm-push)\b/ },
  { programs: 'skopeo', asks: /^(?:delete|copy\b.*\s(?:docker|oci):\/\/\S+\s+docker:\/\/|sync\b.*--dest docker)/ },
  { programs: 'crane', asks: /^(?:push|delete|copy|cp|tag|mutate|append|rebase)\b/ },
  { programs: 'oras', asks: /^(?:push|attach|copy|cp|tag|manifest (?:push|delete)|blob (?:push|delete))\b/ },
  { programs: 'regctl', asks: /\b(?:copy|delete|put|mod)\b/ },
  { programs: 'cosign', asks: /^(?:sign|attest|attach|copy|upload|clean)\b/ },
  { programs: 'snapcraft', asks: /^(?:upload|push|release|close|register|promote|status-set)\b/ },
  { programs: 'goreleaser', asks: /^(?:publish|announce)\b/ },
  {
    programs: 'fastlane',
    asks: /(?:^|\s)(?:deliver|pilot|release|supply|upload_\w+|beta|deploy|submit|match nuke|produce|testflight|appstore|playstore)\b/,
  },
  { programs: 'deliver pilot supply', asks: /^/ },
  {
    programs: 'eas expo',
    asks: /^(?:submit|publish|update(?!:(?:list|view|configure))|channel:(?:edit|delete)|branch:delete|upload\S*)\b/,
  },
  { programs: 'xcrun', asks: /^(?:altool\b.*--upload|notarytool (?:submit|store-credentials))/ },
  { programs: 'appcenter', asks: /^(?:distribute|codepush (?:release|promote|rollback|deployment)|apps delete)\b/ },
  {
    programs: 'huggingface-cli hf',
    asks: /^(?:repo (?:delete|create|tag delete|settings|move)|delete-cache|upload-large-folder|upload\b.*\s\.{1,2}(?:\s|$)|repo-files delete)\b|^upload\s+\S+\s+\.(?:\s|$)/,
  },
  {
    programs: 'kaggle',
    asks: /^(?:datasets (?:create|version|delete)|kernels push|competitions submit|models (?:create|delete|update))\b/,
  },
  { programs: 'ollama', asks: /^push\b/ },
  { programs: 'wandb', asks: /^(?:artifact put|artifact cache cleanup|sync --clean)\b/ },
  { programs: 'pulumi', asks: /^package publish\b/ },
  { programs: 'ansible-galaxy', asks: /^(?:collection publish|role (?:import|delete|setup))\b/ },
  {
    programs: 'vagrant',
    asks: /^cloud (?:publish|box (?:create|delete|update)|version (?:release|revoke|delete)|provider)\b/,
  },
  { programs: 'pdk', asks: /^release\b/ },
  { programs: 'buf', asks: /^(?:push|registry \S+ (?:delete|create|update|undeprecate|deprecate))\b/ },
  { programs: 'spin', asks: /^(?:registry push|cloud|aka (?:deploy|delete))\b/ },
  { programs: 'gh-pages', asks: /(?:^|\s)(?:-d|--dist)\b/ },
  { programs: 'mkdocs', asks: /^gh-deploy\b/ },
  { programs: 'mike', asks: /^(?:deploy\b.*(?:--push|-p)|delete)/ },
  { programs: 'surge', asks: /^(?!--version|list|whoami|login|help)\S/ },
  { programs: 'brew', asks: /^(?:bump-\S+|pr-\S+)\b/ },
  { programs: 'dart flutter', asks: /^pub (?:publish|lish|uploader|global deactivate)\b/ },
  { programs: 'clasp', asks: /^(?:push|deploy|undeploy|delete)\b/ },
  { programs: 'shopify', asks: /^(?:theme (?:push|publish|delete)|app (?:deploy|release))\b/ },
  {
    programs: 'wp',
    asks: /(?:^|\s)(?:db (?:drop|reset|clean|import)|site (?:delete|empty)|plugin (?:delete|uninstall)|user (?:delete|create|set-role)|search-replace|core update|option delete|post delete)\b/,
  },
  {
    programs: 'drush',
    asks: /(?:^|\s)(?:sql[:-](?:drop|sync|create)|site[:-]install|si|pm[:-]uninstall|entity:delete|cim|user[:-](?:cancel|password))\b/,
  },
];

export const PUBLISH_PROGRAM_RULES: readonly CommandRule[] = [tableRule('publish a package', PUBLISHERS)];
