import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Programs that write to hardware, its firmware or its registers. */
const DEVICES: readonly ProgramRow[] = [
  [
    'nrfjprog nrfutil pyocd probe-rs JLinkExe JLink stm32flash STM32_Programmer_CLI picotool bossac mspdebug commander',
    /(?:^|\s)-{0,2}\w*(?:erase|recover|program|write|flash|download)\w*|(?:^|\s)-(?:e|w|W|x)(?:\s|$)|^load\b/,
  ],
  ['teensy_loader_cli tinyprog iceprog dfu-programmer uf2conv.py ecpprog openFPGALoader vitis_program', /\S/],
  ['platformio pio', /(?:^|\s)(?:-t|--target)[= ]?(?:erase|uploadfs\w*|bootloader|fuses)\b/],
  ['idf.py', /(?:^|\s)(?:erase[-_]flash|efuse\S*|flash)\b/],
  ['adb', /^(?:-\w \S+ )?(?:sideload|disable-verity|enable-verity|restore|root|unroot|remount|emu kill)\b/],
  ['rpi-eeprom-update rpi-eeprom-config', /(?:^|\s)(?:-[adrf]|--apply|--edit)\b/],
  ['i2cset i2ctransfer wrmsr fw_setenv flash_erase ubiformat nandwrite flashcp mmc-utils', /\S/],
  ['devmem devmem2', /^\S+(?: \S+){2,}/],
  ['mmc', /^(?:bootpart|writeprotect|extcsd write|ffu|sanitize|hwreset|enh_area|csd)\b/],
  ['ethtool', /(?:^|\s)(?:-[EfsKGALC]|--(?:change-eeprom|flash|change|offload|set-\S+))(?:\s|$)/],
  [
    'nvidia-smi rocm-smi amd-smi',
    /(?:^|\s)(?:-r|-pl|-pm|-ac|-rac|-lgc|-rgc|-mig|-e|-c|--(?:gpu-?reset|power-limit|persistence-mode|applications-clocks|lock-\S+|reset-\S+|multi-instance-gpu|ecc-config|compute-mode|set\w+))(?:[= ]|$)/,
  ],
  ['hostname', /^[^-\s]/],
  ['wg-quick', /^(?:up|down|save|strip)\b/],
  ['exportfs', /(?:^|\s)-\w*[uarof]/],
  ['codesign', /--remove-signature\b|(?:-f|--force)\b.*\/(?:Applications|System|Library)\//],
];

/** Programs that end the jobs of a cluster; a single job by its number is not included. */
const JOBS: readonly ProgramRow[] = [
  [
    'scancel qdel bkill condor_rm canceljob llcancel',
    /(?:^|\s)(?:-[a-zA-Z]*[utpnAa]\b|--(?:user|me|state|partition|account|name|all)\b|all|0|["']?\*)/,
  ],
  ['ray', /^(?:stop|down|job stop)\b/],
  ['dask spark', /^(?:shutdown|stop)\b/],
];

const CONTROLS: readonly ProgramRow[] = [
  ['scontrol', /^(?:update|reconfig\w*|shutdown|delete|takeover|reboot|power|hold|suspend|requeue\w*)\b/i],
  ['sacctmgr', /(?:^|\s)(?:add|create|delete|remove|modify|archive)\b/],
  [
    'ha',
    /^(?:core|host|supervisor|os|observer|audio|dns|addons|network|mounts|store|backups|su)\s+(?:restart|reboot|shutdown|stop|update|rebuild|uninstall|remove|restore|delete|import|options|repair)\b/,
  ],
  ['buildkite-agent gitlab-runner actions-runner svc.sh concourse', /^(?:stop|unregister|restart|uninstall|remove)\b/],
];

const DELETES: readonly ProgramRow[] = [
  ['mlflow', /^gc\b/],
  ['dbt', /^run-operation\b.*(?:drop|delete|truncate|clean|purge)/i],
];

/** Devices, and the jobs and services of clusters and homes. */
export const DEVICE_PROGRAM_RULES: readonly CommandRule[] = [
  tableRule('change system settings', DEVICES),
  tableRule('kill many processes', JOBS),
  tableRule('stop or change services', CONTROLS),
  tableRule('delete a database', DELETES),
];
