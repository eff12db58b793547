import { describe, expect, test } from 'vitest'
import { isCovered } from './covers.ts'
import { deniedBy } from './denies.ts'
import { parseRule } from './rule.ts'

const place = { project: '/nonexistent/project', home: '/nonexistent/home' }
const bash = (command: string) => ({ toolName: 'Bash', input: { command } })
const allowed = (rules: readonly string[], command: string) => isCovered(rules.map(parseRule), bash(command), place)
const denied = (rule: string, command: string) => deniedBy([parseRule(rule)], bash(command), place) !== undefined

describe('a rule covers', () => {
  test.each([
    ['Bash', 'anything; at all $(x)'],
    ['Bash(*)', 'anything; at all $(x)'],
    ['Bash(git status)', 'git status'],
    ['Bash(git status)', '  git status\n'],
    ['Bash(git status *)', 'git status'],
    ['Bash(git status *)', 'git status -s'],
    ['Bash(git status *)', 'git   status\t-s'],
    ['Bash(git status *)', 'git status; git status -s && git status | git status || git status'],
    ['Bash(git status *)', 'git status\ngit status -s\n\n'],
    ['Bash(git status *)', 'git status 2>&1 >/dev/null 2> /dev/null </dev/null'],
    ['Bash(git status *)', `git status 'a;b' "c|d" e\\;f "it's" 'a"b' x#y`],
    ['Bash(git status:*)', 'git status'],
    ['Bash(git status:*)', 'git status -s'],
    ['Bash(git*)', 'gitk --all'],
    ['Bash(git * main)', 'git push origin main'],
    ['Bash(* --version)', 'node --version'],
    ['Bash(echo \\* *)', 'echo * x'],
    ['Bash(cc x\\(y\\))', 'cc x(y)'],
    ['Bash(cc x(y))', 'cc x(y)'],
    ['Bash(dd x\\\\y)', 'dd x\\y'],
    ['Bash(dd x\\y)', 'dd x\\y'],
    ['Bash(git log | head > out.txt)', 'git log | head > out.txt'],
    ['Bash(a $(b))', 'a $(b)'],
    ['Bash(find *)', `find . -name '*.ts'`],
    ['Bash(find . -delete)', 'find . -delete'],
    ['Bash(git commit -m *)', 'git commit -m "Größe"'],
  ])('%s: %s', (rule, command) => expect(allowed([rule], command)).toBe(true))

  test('a compound of what several rules cover', () => {
    expect(allowed(['Bash(git status *)', 'Bash(npm test)'], 'git status && npm test')).toBe(true)
  })
})

describe('Bash(git status *) does not cover', () => {
  test.each([
    'git status; rm -rf /',
    'git status;rm -rf /',
    'git status && rm x',
    'git status&&rm x',
    'git status || rm x',
    'git status | sh',
    'git status |& sh',
    'git status & rm x',
    'git status&rm x',
    'git status &',
    'git status\nrm x',
    'git status\r\nrm x',
    'git status\rrm x',
    'git status $(rm x)',
    'git status "$(rm x)"',
    'git status `rm x`',
    'git status "`rm x`"',
    'git status <(rm x)',
    'git status >(rm x)',
    'git status =(rm x)',
    'git status ${x:-$(rm x)}',
    'git status $((a[$(rm x)]))',
    'git status $x',
    'git status "$x"',
    'git status ${x@P}',
    'git status > .git/config',
    'git status >> ~/.bashrc',
    'git status >| x',
    'git status &> x',
    'git status 2>x',
    'git status 2>&1x',
    'git status >/dev/null/../x',
    'git status >/dev/nullx',
    'git status >&3',
    'git status < /etc/passwd',
    'git status <<< x',
    'git status << X\n$(rm x)\nX',
    "git status << 'X'\nx\nX",
    'git status <>x',
    'X=1 git status',
    'GIT_EXTERNAL_DIFF=rm git status',
    'PATH=. git status',
    'a[0]=1 git status',
    'X+=1 git status',
    'git status #',
    'git status # x\nrm x',
    '# x\ngit status',
    "git status # it's\nrm x #'",
    'git  statusx',
    'git statusx',
    'git\\ status',
    'git\\\nstatus',
    'git sta\\\ntus',
    'git\u00a0status',
    'git status\u00a0',
    'git status\u2028',
    '\ufeffgit status',
    'git status\u00a0; rm x',
    'git status\u2028rm x',
    'git status\u2029rm x',
    'git status\u200b',
    'git status \u202e',
    'git status\u3000-s',
    'git status\v-s',
    'git status\f-s',
    'git status \0 x',
    'git status \u001b[2J',
    "git status 'a",
    'git status "a',
    'git status a\\',
    `git status 'a'"b`,
    `git status "a\\"; rm x`,
    "git status $'a\\'; rm x'",
    'git status $"a"',
    "git status '\\'; rm x '",
    'git status {a,b}',
    '{ git status; }',
    '(git status)',
    '(git status; rm x)',
    'git status; (rm x)',
    'git() { rm x; }; git status',
    'function git { rm x; }; git status',
    'alias git=rm; git status',
    'if git status; then git status; fi',
    'for x in 1; do git status; done',
    'while git status; do git status; done',
    '! git status',
    'time git status',
    'coproc git status',
    'env git status',
    'sudo git status',
    'timeout 5 git status',
    'xargs git status',
    'command git status',
    'exec git status',
    'eval git status',
    'sh -c "git status"',
    'cd /tmp && git status',
    './git status',
    '/tmp/git status',
    '"git" status',
    "'git status'",
    'git "status"',
    'GIT STATUS',
    'git status;;',
    'git status &&',
    'git status |',
    '; git status',
    '| git status',
    'git status || ; git status',
    'git status "a!rm"',
    '',
    ' ',
    '\n',
    ';',
    'git',
    `git status ${'x'.repeat(30_000)}`,
  ])('%j', (command) => {
    expect(allowed(['Bash(git status *)'], command)).toBe(false)
    expect(allowed(['Bash(git status:*)'], command)).toBe(false)
  })
})

describe('nor does a rule cover', () => {
  test.each([
    ['Bash(git status)', 'git status -s'],
    ['Bash(git status)', 'git status\u00a0'],
    ['Bash(git status)', 'git status\r'],
    ['Bash(aa x\\*y)', 'aa xZy'],
    ['Bash(aa x\\*y)', 'aa x*y'],
    ['Bash(pp x\\* *)', 'pp xZ y'],
    ['Bash(hh * main)', 'hh main'],
    ['Bash(gg:*)', 'ggx'],
    ['Bash(find *)', 'find . -delete'],
    ['Bash(find *)', 'find . -exec rm {} +'],
    ['Bash(find *)', `find . '-exec' rm x +`],
    ['Bash(find *)', 'find . -ex"ec" rm x +'],
    ['Bash(find *)', '/usr/bin/find . -delete'],
    ['Bash(* .)', 'find . -delete .'],
    ['Bash(find *)', `find . -maxdepth 0 -e* touch x ';'`],
    ['Bash(find *)', 'find . -maxdepth 0 -e?ec touch x +'],
    ['Bash(find *)', 'find [-]* .'],
    ['Bash(n*)', 'n*m test'],
    ['Read', 'git status'],
    ['mcp__a', 'git status'],
  ])('%s: %s', (rule, command) => expect(allowed([rule], command)).toBe(false))

  test('what has no command', () => {
    expect(isCovered([parseRule('Bash(x *)')], { toolName: 'Bash', input: {} }, place)).toBe(false)
    expect(isCovered([parseRule('Bash(x *)')], { toolName: 'Bash', input: null }, place)).toBe(false)
    expect(isCovered([parseRule('Bash(x *)')], { toolName: 'Bash', input: { command: 7 } }, place)).toBe(false)
  })
})

describe('Bash(rm *) forbids', () => {
  test.each([
    'rm x',
    'rm',
    '  rm   -rf\tx',
    'git status; rm x',
    'git status&&rm x',
    'a | rm x',
    'a & rm x',
    'a\nrm x',
    '(rm x)',
    '{ rm x; }',
    'echo $(rm x)',
    'echo "$(rm x)"',
    'echo "a `rm x` b"',
    'echo `rm x`',
    'cat <(rm x)',
    'X=1 rm x',
    'X="a b" Y=2 rm x',
    'env X=1 rm x',
    'env -i rm x',
    'timeout 5 rm x',
    'timeout -k 5 10 rm x',
    'nice -n 5 rm x',
    'nohup rm x &',
    'env -S"rm x"',
    'env --split-string="rm x"',
    'chrt -i 0 rm x',
    'taskset 1 rm x',
    'repeat 1 rm x',
    '- rm x',
    'trap "rm x" EXIT',
    'sudo -u root rm x',
    'xargs -n 1 rm x',
    'ls | xargs rm x',
    'command rm x',
    'exec rm x',
    'eval "rm x"',
    "sh -c 'rm x'",
    'bash -lc "cd /; rm x"',
    `bash -c "sh -c 'rm x'"`,
    '/bin/rm x',
    '\\rm x',
    'r\\m x',
    "'rm' x",
    '"rm" x',
    "r'm' x",
    "$'\\x72m' x",
    "$'\\162m' x",
    'r\\\nm x',
    'rm${IFS}x',
    'rm$IFS-rf',
    '>y rm x',
    '2>/dev/null rm x',
    'rm>y x',
    'if true; then rm x; fi',
    'for i in 1; do rm x; done',
    'while rm x; do :; done',
    '! rm x',
    'time rm x',
    'find . -exec rm x +',
    'echo a # b\nrm x',
    "echo 'a\\'; rm x; echo 'b'",
    'ssh host rm x',
    'ssh host "cd /; rm x"',
    'echo << X\n$(rm x)\nX',
    "# it's\nrm x # '",
    "true # it's\nrm x; echo 'a'",
    'cat << X\na " b\nX\nrm x; echo \'"\'',
    "cat <<- 'X' | tee y\n\tit's\n\tX\nrm x; echo 'a'",
    "cat << X << Y\nit's\nX\nit's\nY\nrm x",
    "cat << X\nit's $(rm x) it's\nX",
    "sh << X\necho it\\'s\nrm x\nX",
    'a[0]=1 rm x',
    'a["x y"]+=1 rm x',
    '{fd}>/dev/null rm x',
    '{rm,x}',
    'r{m,} x',
    '{r,}m x',
    'echo {a,b}; {rm,-{r,f},x}',
    "$'\\U00000072m' x",
    "echo 'rm x' | sh",
    `printf '%s\\n' "rm x" | bash -s`,
    'cat x | xargs rm',
    "bash <(echo 'rm x')",
    "script -qc'rm x' y",
    "script --command='rm x' y",
    'setpriv --no-new-privs rm x',
    "sg users 'rm x'",
    "mapfile -c1 -C'rm x' a",
    'RM x',
    '/BIN/Rm x',
    `sh -c "sh -c 'sh -c \\"sh -c rm\\ x\\"'"`,
  ])('%j', (command) => expect(denied('Bash(rm *)', command)).toBe(true))

  test('but not long data in braces', () => {
    const data = JSON.stringify(Array.from({ length: 5000 }, (_, at) => ({ rm: at, mv: 'x' })))
    expect(denied('Bash(rm *)', `node -e '${data}'`)).toBe(false)
    expect(denied('Bash(rm *)', `cat << X > y\n${data}\nX`)).toBe(false)
  })

  test('also what nests too deep to be read', () => {
    const nested = (depth: number): string => (depth === 0 ? 'mv x' : `sh -c ${JSON.stringify(nested(depth - 1))}`)
    expect(denied('Bash(rm *)', nested(4))).toBe(false)
    expect(denied('Bash(rm *)', nested(9))).toBe(true)
  })

  test('also in a command that watches', () => {
    const use = { toolName: 'Monitor', input: { command: 'sh -c "rm x"' } }
    expect(deniedBy([parseRule('Bash(rm *)')], use, place)).toBeDefined()
    expect(deniedBy([parseRule('Bash(mv *)')], use, place)).toBeUndefined()
  })

  test.each([
    'echo rm',
    'git rm x',
    'grep -r "rm x" .',
    'rmdir x',
    'echo "x; rm y"',
    'git commit -m "rm x"',
    'ls # rm x',
    'echo "rm x" || sh y',
    'echo "rm x" | tee y',
    'cat {a,rm} x',
  ])('but not %j', (command) => expect(denied('Bash(rm *)', command)).toBe(false))
})

test.each([
  ['git -C . push origin', true],
  ['git -c a=b --no-pager push origin', true],
  ['env /usr/bin/git --git-dir .git push', true],
  ['git --attr-source HEAD push', true],
  ['Git push', true],
  ['git commit -m push', false],
  ['git -C push log', false],
])('a rule against a command of git, its options before the command or not: %s', (command, isDenied) => {
  expect(denied('Bash(git push *)', command)).toBe(isDenied)
})
