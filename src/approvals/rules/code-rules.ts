import { ANY_VARIABLE } from '../shell/expansions.ts';
import { mayShowSecret, SECRET_RULE } from '../files/secrets.ts';
import { isDestructiveSql } from './database-rules.ts';
import { touchesGuardedPath } from '../files/guarded-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { variablesInCode } from '../shell/code-environment.ts';
import { isAwk, readAwk } from '../shell/read-code.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { CommandRule } from './rule.ts';

const LATIN_AND_OTHERS =
  /[A-Za-z].*[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\ua4d0-\ua4ff]|[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\ua4d0-\ua4ff].*[A-Za-z]/;

/** Cmdlets and aliases of PowerShell, methods of .NET and commands of cmd that change, stop, run or send something. */
const POWERSHELL =
  /\b(?:Remove|Clear|Stop|Restart|Disable|Uninstall|Suspend|Reset|Initialize|Unregister|Revoke|Dismount|Move|Rename)-(?!Host\b|Variable\b|Job\b|Module\b|Event\b|PSBreakpoint\b|TypeData\b|Transcript\b)\w+|\bSet-(?:Content|ItemProperty|Acl|ExecutionPolicy|Service|MpPreference|NetFirewall\w*|LocalUser|Date|Disk|Partition|ScheduledTask|ADUser|Item)\b|\b(?:New-Service|New-LocalUser|New-ScheduledTask|New-PSDrive|Register-ScheduledTask|Add-LocalGroupMember|Add-MpPreference|Add-Content\s+\S*(?:profile|bashrc)|Format-Volume|Out-File\s+\S*[/\\](?:etc|\.ssh|\.hermes)|Invoke-(?:Expression|Command|WmiMethod|CimMethod|Item)|Start-Process|Start-BitsTransfer|Send-MailMessage|DownloadString|DownloadFile)\b|\bInvoke-(?:RestMethod|WebRequest)\b.*-(?:InFile|Method\s+(?:Post|Put|Delete|Patch)|Body)\b|(?:^|[\s;|{(])(?:ri|rm|del|erase|rd|rmdir|spps|kill|clc|clear-content)\s+\S|\biex\b|\b(?:rd|rmdir|del|erase)\s+\/[sqf]|-enc|vssadmin|\bformat\s+[a-z]:|reg\s+delete|shutdown|\[(?:System\.)?(?:IO\.)?(?:File|Directory)\]::(?:Delete|Move|Write\w*|Copy|Replace|Create)|\[(?:System\.)?Diagnostics\.Process\]::Start|-File\s+["']?(?:\/tmp|\/var\/tmp|\/dev\/shm|https?:)/i;

/** Inline code in other languages, and commands that cannot be determined statically. */
export const CODE_RULES: readonly CommandRule[] = [
  // Any inline code could do harm, but asking about all of it would train users to approve without reading.
  { rule: 'inline code that deletes or runs programs', reviewable: true, when: isUnclearCode },
  { rule: 'inline code that changes protected files', when: codeTouches },
  { rule: SECRET_RULE, when: showsVariables },
  { rule: SECRET_RULE, when: ({ code }) => code?.effects.includes('credentials') === true },
  { rule: 'destructive SQL', when: ({ code }) => code?.statements.some(isDestructiveSql) === true },
  { rule: 'delete a database', when: ({ code }) => code?.effects.includes('database') === true },
  { rule: 'destroy infrastructure', when: ({ code }) => code?.effects.includes('infrastructure') === true },
  { rule: 'kill many processes', when: ({ code }) => code?.effects.includes('processes') === true },
  {
    rule: 'inline code that deletes or runs programs',
    commands: /^(?:pwsh|powershell|cmd)(?:\.exe)?$/i,
    when: ({ args, input }) => POWERSHELL.test(`${args.join(' ')}\n${input ?? ''}`),
  },
  {
    rule: 'recursive delete',
    commands: /^(?:Remove-Item|rd|rmdir|del|erase|ri)(?:\.exe)?$/i,
    when: ({ args }) => args.some((arg) => /^(?:\/[sq]|-recurse|-force)$/i.test(arg)),
  },
  {
    rule: 'format a filesystem',
    commands: /^(?:format|Format-Volume|Clear-Disk)(?:\.com|\.exe)?$/,
    everydayName: true,
    when: ({ args, name }) => name !== 'format' || /^[a-zA-Z]:$/.test(args[0] ?? ''),
  },
  {
    rule: 'delete backups',
    commands: /^(?:vssadmin|wbadmin|tmutil)(?:\.exe)?$/i,
    when: ({ args }) => /^(?:delete|disable|deletelocalsnapshots)/i.test(args[0] ?? ''),
  },
  // A command that is known only at run time cannot be judged.
  {
    rule: 'a command whose name is computed',
    reviewable: true,
    when: ({ computedName, suspected }) => computedName && !suspected,
  },
  {
    rule: 'a command name with look-alike letters',
    when: ({ name, suspected }) => !suspected && LATIN_AND_OTHERS.test(name),
  },
];

function isUnclearCode({ name, args, code }: ShellCommand): boolean {
  return isAwk(name) ? args.some((arg) => readAwk(arg).unclear) : code?.unclear === true;
}

/** Options of interpreters that print the value of the code. */
const PRINTS_VALUE = /^(?:-[a-z]*p[a-z]*|--print(?:=.*)?)$/;

/** Whether code in another language prints or stores environment variables that may hold secrets. */
function showsVariables({ name, args, code }: ShellCommand): boolean {
  const variables = isAwk(name) ? args.flatMap(variablesInCode) : (code?.variables ?? []);
  if (!variables.some((variable) => variable === ANY_VARIABLE || mayShowSecret(variable))) return false;
  return isAwk(name) || code?.prints === true || args.some((arg) => PRINTS_VALUE.test(arg)) || isRscript(name);
}

/** R prints the value of every expression. */
const isRscript = (name: string) => name === 'Rscript' || name === 'R';

/** Whether inline code writes a protected path or reads secrets. */
function codeTouches({ code, directory }: ShellCommand, facts: MachineFacts): boolean {
  return code?.paths.some((path) => touchesGuardedPath(path, directory, code.writes, facts)) === true;
}
