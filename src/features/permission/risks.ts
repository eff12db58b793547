import { isAbsolute, relative, resolve } from 'node:path'
import { hasInvisible } from '../../base/lib/visible.ts'

type Input = Readonly<Record<string, unknown>>

/** A risky word of a command; each part of a path counts as a word. `with`: another word that must also be there. */
interface Risk {
  readonly word: RegExp
  readonly with?: RegExp
  readonly hint: string
}

const deletes = 'deletes files'
const network = 'reaches the network'
const installs = 'installs or runs code from others'

const commandRisks: readonly Risk[] = [
  { word: /^(?:rm|rmdir|shred|unlink|truncate|-delete)$/, hint: deletes },
  { word: /^(?:clean|checkout|restore|--hard)$/, with: /^git$/, hint: 'throws away changes in a repository' },
  { word: /^(?:sudo|su|doas|pkexec|run0)$/, hint: 'may run as root or another user' },
  { word: /^(?:eval|source)$/, hint: 'runs text as a command' },
  { word: /^(?:curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|rsync|telnet|ftp|tcp|udp)$/, hint: network },
  { word: /^(?:push|fetch|pull|clone)$/, with: /^git$/, hint: network },
  { word: /^(?:https?|ftp):$/, hint: network },
  { word: /^(?:npx|uvx|bunx)$/, hint: installs },
  {
    word: /^(?:install|add|i|ci|get|dlx)$/,
    with: /^(?:npm|pnpm|yarn|bun|pip3?|uv|cargo|gem|go|apt|apt-get|dnf|brew)$/,
    hint: installs,
  },
  { word: /^(?:--force|--force-with-lease|-f)$/, with: /^push$/, hint: 'overwrites what others have pushed' },
  { word: /^(?:chmod|chown|chgrp|setfacl)$/, hint: 'changes who may use a file' },
  { word: /^(?:dd|mkfs(?:\.\w+)?|fdisk|parted|mount|umount|wipefs)$/, hint: 'works on disks' },
  { word: /^(?:kill|pkill|killall|shutdown|reboot|systemctl|service)$/, hint: 'ends or starts processes' },
  { word: /^(?:crontab|at|launchctl|nohup|setsid|disown)$/, hint: 'leaves something running' },
  {
    word: /^(?:-d|-D|--decode|-r)$/,
    with: /^(?:base64|base32|xxd)$/,
    hint: 'runs or writes something hidden in an encoding',
  },
]

const placeRisks: readonly Risk[] = [
  { word: /^\.git(?:config|modules)?$/, hint: 'touches .git, where hooks are run from' },
  {
    word: /^(?:\.claude(?:\.json)?|CLAUDE(?:\.local)?\.md|\.mcp\.json)$/i,
    hint: 'touches files that control Claude Code',
  },
  { word: /^\.env(?:\..+)?$/, hint: 'touches .env, where secrets are kept' },
  {
    word: /^(?:\.ssh|id_(?:rsa|ed25519|ecdsa)|authorized_keys|\.aws|\.gnupg|\.kube|\.netrc|\.npmrc|\.docker)$/,
    hint: 'touches keys or credentials',
  },
  { word: /^\.(?:bashrc|bash_profile|zshrc|zshenv|profile)$/, hint: 'touches files that every shell runs' },
  { word: /^(?:\.iris|IRIS_HOME)$/, hint: "touches Iris's own files" },
]

const longCharacters = 4000

/** Short hints about risks for a person who decides about a tool. An input without a hint may still be dangerous. */
export function risksOf(input: Input, directory: string): string[] {
  const run = typeof input['command'] === 'string' ? input['command'] : ''
  const paths = ['file_path', 'notebook_path', 'path']
    .map((name) => input[name])
    .filter((path) => typeof path === 'string')
  const text = JSON.stringify(input)
  const commandWords = wordsOf(run)
  const hints = [
    ...hintsOf(commandRisks, commandWords),
    ...(/\|\s*(?:(?:sudo|[\w./-]*\benv)\s+)?[\w./-]*(?:sh|python[\d.]*|node|perl|ruby|php)\b/.test(run)
      ? ['pipes text into a shell']
      : []),
    ...hintsOf(placeRisks, [...commandWords, ...paths.flatMap(wordsOf)]),
    ...([...pathsIn(run), ...paths].some((path) => isOutside(path, directory)) ? ['reaches outside the project'] : []),
    ...(Object.entries(input).flat().some(isHiding) ? ['contains characters that cannot be seen'] : []),
    ...(mixesScripts(text) ? ['contains look-alike letters from another alphabet'] : []),
    ...(text.length > longCharacters ? ['is very long: read all of it'] : []),
    ...(/[ \t]{40}|(?:\\n[ \t]*){10}/.test(text) ? ['has a long blank that may hide something behind it'] : []),
  ]
  return [...new Set(hints)]
}

function hintsOf(risks: readonly Risk[], words: readonly string[]): string[] {
  const found = risks.filter(({ word, with: beside }) => {
    const has = (each: RegExp): boolean => words.some((one) => each.test(one))
    return has(word) && (beside === undefined || has(beside))
  })
  return found.map(({ hint }) => hint)
}

/** Removes quotes and backslashes, as a shell would. */
function wordsOf(text: string): string[] {
  return [...new Set(text.replace(/['"\\]/g, '').split(/[\s;&|()<>`=$/{}]+/))]
}

/** The words of a command that are obviously paths. */
function pathsIn(run: string): string[] {
  const found = run.match(/(?<=^|[\s'"=<>(])(?:~|\.\.|\/)[^\s'"<>|;&()]*/g) ?? []
  return found.filter((path) => !/^\/dev\/(?:null|stdin|stdout|stderr|u?random)$/.test(path))
}

function isOutside(path: string, directory: string): boolean {
  if (path.startsWith('~')) return true
  const way = relative(directory, resolve(directory, path))
  return way === '..' || way.startsWith('../') || isAbsolute(way)
}

function isHiding(value: unknown): boolean {
  return hasInvisible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Whether a word mixes Latin letters with Cyrillic or Greek ones, which are easily mistaken for each other. */
function mixesScripts(text: string): boolean {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  return words.some((word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word))
}
