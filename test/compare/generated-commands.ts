import { picker } from '../property/random.ts'

/** What stands for the directory outside of the project: another one on each side. */
export const outsideName = '@OUTSIDE@'

/** Rules as an owner writes them, the same on all sides. `rm` only for one directory. */
export const comparedRules = [
  ...['touch', 'cp', 'mv', 'cat', 'git status', 'cd', 'find', 'echo', 'sort', 'ls', 'rm build'].map(
    (name) => `Bash(${name} *)`,
  ),
  'Bash(sed:*)',
  'Bash(mkdir:*)',
  'Bash(gre*)',
  'Bash(git log)',
  'Bash(head * a)',
  'Bash(true)',
  'Bash(wc -l a && true)',
  'Edit(src/**)',
  'Read(//etc/hostname)',
]

/** Commands that were seen to run under a rule although Claude Code asks about them, and their like. */
const knownCommands: readonly string[] = [
  `cd ${outsideName} && git status`,
  `cp a ${outsideName}/c`,
  `sed -i s/x/y/ ${outsideName}/file`,
  'wc -l a && true',
  `mv b ${outsideName}/b`,
  'cat /etc/hostname',
  "find . -maxdepth 0 -e* touch x ';'",
  'touch src/link/x',
  'X=1 touch a',
]

type Pick = (count: number) => number

/** As many different ones, the same for the same seed. What writes or deletes does so only in the project or beside it. */
export function generatedCommands(count: number, seed: number): readonly string[] {
  const pick = picker(seed)
  const commands = new Set(knownCommands)
  while (commands.size < count) commands.add(shaped(pick))
  return [...commands].slice(0, count)
}

function one(pick: Pick, ...choices: readonly string[]): string {
  return choices[pick(choices.length)]!
}

function word(pick: Pick): string {
  return one(
    pick,
    'x',
    's/x/y/',
    "'a b'",
    '"x y"',
    '1',
    '--',
    '-n',
    '$HOME',
    '"$HOME"',
    '~',
    '*',
    '[a]*',
    '{a,b}',
    '\\*',
  )
}

function file(pick: Pick): string {
  return pick(3) > 0
    ? one(pick, 'a', 'b', './a', 'src/a', 'src/new', "'src/b c'", 'build/x', 'src/../a', 'new', '"a"')
    : one(
        pick,
        `${outsideName}/file`,
        `${outsideName}/new`,
        '../near',
        'src/link/file',
        'src/link-to-file',
        '~/note',
        'src/.bashrc',
      )
}

function directory(pick: Pick): string {
  return one(pick, '.', 'src', 'build', './src/..', '..', outsideName, 'src/link', '~')
}

function simple(pick: Pick): string {
  const [f, g, d, w] = [file(pick), file(pick), directory(pick), word(pick)]
  return one(
    pick,
    ...[
      `touch ${f}`,
      `touch ${w}`,
      `cp ${f} ${g}`,
      `cp -r ${d} ${f}`,
      `mv ${f} ${g}`,
      `sed -i s/x/y/ ${f}`,
      `sed -n 1p ${f}`,
    ],
    ...[
      `cat ${f}`,
      `cat ${w}`,
      'cat /etc/hostname',
      `head -n1 ${f}`,
      `head ${w} a`,
      `ls ${d}`,
      `ls -la ${f}`,
      `sort ${f}`,
      `sort -o ${f} a`,
    ],
    ...[
      `find ${d} -name ${w}`,
      `find ${d} -maxdepth 1`,
      'find build -delete',
      `find . -exec touch ${f} +`,
      'find . -e* touch x +',
    ],
    ...[
      `grep x ${f}`,
      `grep -r x ${d}`,
      `grep -f ${f} a`,
      `echo ${w}`,
      `echo ${f}`,
      `mkdir -p ${f}/new`,
      `rm build/x`,
      `rm build ${f}`,
    ],
    ...[
      'git status',
      'git status -s',
      `git -C ${d} status`,
      'git log',
      'git log --oneline',
      `git diff ${f}`,
      `cd ${d}`,
      'true',
      'pwd',
    ],
    ...[`wc -l ${f}`, "python3 -c 'print(1)'", 'node --version', `env touch ${f}`, `xargs touch < ${f}`, `tee ${f}`],
  )
}

/** With what a shell has around commands. */
function shaped(pick: Pick): string {
  const [first, second, f] = [simple(pick), simple(pick), file(pick)]
  switch (pick(4)) {
    case 0:
      return first
    case 1:
      return one(
        pick,
        `${first} && ${second}`,
        `${first}; ${second}`,
        `${first} || ${second}`,
        `${first} | ${second}`,
        `${first}\n${second}`,
      )
    case 2:
      return one(
        pick,
        ...[
          `${first} > ${f}`,
          `${first} >> ${f}`,
          `${first} 2>/dev/null`,
          `${first} 2>&1`,
          `${first} < ${f}`,
          `${first} &> ${f}`,
        ],
        ...[
          `touch $(${second})`,
          `echo \`${second}\``,
          `cat <(${second})`,
          `echo "$(${second})"`,
          `cat << X\n$(${second})\nX`,
        ],
      )
    default:
      return one(
        pick,
        ...[
          `(${first})`,
          `{ ${first}; }`,
          `X=1 ${first}`,
          `PATH=. ${first}`,
          `! ${first}`,
          `timeout 5 ${first}`,
          `nice ${first}`,
        ],
        ...[
          `for i in 1; do ${first}; done`,
          `if true; then ${first}; fi`,
          `sh -c "${first}"`,
          `${first} # ${second}`,
          `eval ${first}`,
        ],
        ...[
          `\\${first}`,
          `"${first.split(' ')[0]}"${first.replace(/^\S+/, '')}`,
          `${first}\\\n`,
          ` ${first} `,
          `${first}\u00a0`,
        ],
      )
  }
}
