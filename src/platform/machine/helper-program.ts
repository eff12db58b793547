/**
 * The program that reads a team's project, inside the isolation of the team's agents and with their rights. It gets its
 * own text as an argument and imports no code of Iris, whose files may not be visible there. Requests come as lines of
 * JSON on stdin, and answers go out as lines on stdout.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type {
  ChangeAnswer,
  CommitAnswer,
  DiffAnswer,
  DiffProblem,
  HelperRequest,
  PartAnswer,
  ReadAnswer,
  StatesAnswer,
  WriteAnswer,
} from './helper-protocol.ts'

type Answer = ReadAnswer | PartAnswer | ChangeAnswer | DiffAnswer | StatesAnswer | CommitAnswer | WriteAnswer

async function answer(request: HelperRequest): Promise<Answer> {
  switch (request.do) {
    case 'read':
      return opened(request.name, (file) => readOpened(file, request), request.anywhere)
    case 'read-part':
      return opened(request.name, (file) => readPart(file, request))
    case 'last-change':
      return { at: await lastChange(request.names) }
    case 'git-diff':
      return gitDiff(request)
    case 'file-states':
      return fileStates(request)
    case 'last-commit':
      return lastCommit(request)
    case 'write':
      return write(request)
  }
}

/** How many levels of directories below a name are examined. */
const deepest = 3
/** How many files and directories are examined for one request. */
const maxLooked = 1000

/**
 * The time of the newest change to these files and directories, in milliseconds since the epoch; 0 if none of them
 * exists.
 *
 * For a missing project file, the time of its directory counts, because the file may have been removed. This does not
 * apply to absolute paths and paths above the project, because other files in those directories change all the time.
 */
async function lastChange(names: readonly string[]): Promise<number> {
  let left = maxLooked
  const changed = async (path: string, depth: number): Promise<number> => {
    left -= 1
    if (left < 0) return 0
    const facts = await stat(path).catch(() => undefined)
    if (facts === undefined) {
      const around =
        isAbsolute(path) || path.startsWith('../') ? undefined : await stat(dirname(path)).catch(() => undefined)
      return around?.ctimeMs ?? 0
    }
    const within = facts.isDirectory() && depth < deepest ? await readdir(path).catch(() => []) : []
    const times = await Promise.all(within.map((name) => changed(join(path, name), depth + 1)))
    return Math.max(facts.ctimeMs, ...times)
  }
  return Math.max(0, ...(await Promise.all(names.map((name) => changed(name, 0)))))
}

type Unread = Extract<ReadAnswer, { kind: 'absent' | 'unusable' }>

/** Opens a file of the project. Never waits for a pipe. */
async function opened<T>(name: string, use: (file: FileHandle) => Promise<T>, anywhere = false): Promise<T | Unread> {
  try {
    const [directory, path] = await Promise.all([realpath('.'), realpath(name)])
    if (!anywhere && !isInside(directory, path)) return { kind: 'unusable', problem: 'outside' }
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    return await use(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'unusable', problem: 'unreadable' }
  }
}

/** A larger file is identified by its size and modification time instead of a hash. */
const maxHashed = 8 * 1024 * 1024

async function fileStates(request: Extract<HelperRequest, { do: 'file-states' }>): Promise<StatesAnswer> {
  const directory = await realpath('.')
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], { ...request, mostBytes: 1000 })
  const files: StatesAnswer['files'] = []
  for (const name of request.names) files.push(await fileState(directory, name))
  return { ...(head.end === 'ok' && { head: head.output.trim() }), files }
}

async function fileState(directory: string, name: string): Promise<StatesAnswer['files'][number]> {
  try {
    const path = await realpath(name)
    if (!isInside(directory, path)) return null
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const facts = await file.stat()
    if (!facts.isFile()) return null
    if (facts.size > maxHashed) return { name: relative(directory, path), hash: `${facts.size} ${facts.mtimeMs}` }
    const hash = createHash('sha256')
    for await (const chunk of file.createReadStream({ end: maxHashed, autoClose: false })) hash.update(chunk as Buffer)
    return { name: relative(directory, path), hash: hash.digest('hex') }
  } catch {
    return null
  }
}

/**
 * Writes a file whose content still has the hash `was`. Follows a link to a file of the project, as an editor would.
 * That file is replaced atomically or not at all.
 */
async function write({ name, text, was }: Extract<HelperRequest, { do: 'write' }>): Promise<WriteAnswer> {
  const held = await opened(name, (file) => readOpened(file, { mostBytes: 1024 * 1024, cut: false }))
  if (held.kind === 'unusable') return held
  if ((held.kind === 'absent' ? null : hashOf(held.text)) !== was) return { kind: 'changed' }
  const directory = await realpath('.')
  const path = held.kind === 'absent' ? join(directory, name) : await realpath(name)
  const half = join(dirname(path), `.${randomUUID()}.half`)
  try {
    if (!isInside(directory, await realpath(dirname(path)))) return { kind: 'unusable', problem: 'outside' }
    await using file = await open(half, 'wx', 0o644)
    if (held.kind !== 'absent') await file.chmod((await stat(path)).mode & 0o777)
    await file.writeFile(text)
    await file.sync()
    // A file that was created in the meantime is kept.
    if (held.kind === 'absent') await link(half, path)
    else await rename(half, path)
    return { kind: 'written' }
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    return isThere ? { kind: 'changed' } : { kind: 'unusable', problem: 'unwritable' }
  } finally {
    await rm(half, { force: true }).catch(() => {})
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function lastCommit(request: Extract<HelperRequest, { do: 'last-commit' }>): Promise<CommitAnswer> {
  // The repository may choose neither the signature program nor a list of alternative names.
  const options = '-c log.showSignature=false -c log.follow=false --literal-pathspecs log --max-count=1 --no-mailmap'
  const args = [...options.split(' '), '--format=%H%x00%an', `${request.since}..HEAD`, '--', request.name]
  const limits = { ...request, mostBytes: 10_000 }
  // If HEAD does not descend from `since` (after a rebase, on another branch), the range cannot show who changed the
  // file.
  if ((await git(['merge-base', '--is-ancestor', request.since, 'HEAD'], limits)).end !== 'ok') return {}
  const { end, output } = await git(args, limits)
  const [id = '', author = ''] = output.trim().split('\0')
  return end === 'ok' && id !== '' ? { commit: { id, author: author.slice(0, 200) } } : {}
}

/** Never returns more than `mostBytes`. */
async function readOpened(file: FileHandle, { mostBytes, cut }: { mostBytes: number; cut: boolean }) {
  if (!(await file.stat()).isFile()) return { kind: 'unusable', problem: 'no-file' } as const
  const bytes = Buffer.alloc(mostBytes + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  const isCut = length > mostBytes
  if (isCut && !cut) return { kind: 'unusable', problem: 'too-large' } as const
  try {
    // Decoded as a stream, so that a character that is cut at the end is left out instead of causing an error.
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const text = decoder.decode(bytes.subarray(0, Math.min(length, mostBytes)), { stream: isCut })
    return { kind: 'text', text, isCut } as const
  } catch {
    return { kind: 'unusable', problem: 'no-utf8' } as const
  }
}

type PartRequest = Extract<HelperRequest, { do: 'read-part' }>

async function readPart(file: FileHandle, { from, mostBytes }: PartRequest): Promise<PartAnswer> {
  const facts = await file.stat()
  const { dev, ino, size, mtimeMs } = facts
  if (!facts.isFile()) return { kind: 'unusable', problem: 'no-file' }
  const bytes = Buffer.alloc(mostBytes)
  const { bytesRead } = await file.read(bytes, 0, mostBytes, from)
  const identity = [dev, ino, size, mtimeMs].join(':')
  return { kind: 'part', base64: bytes.toString('base64', 0, bytesRead), size, identity }
}

function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

type DiffRequest = Extract<HelperRequest, { do: 'git-diff' }>

/** The uncommitted changes in the project's directory, without the rest of the repository. */
async function gitDiff(limits: DiffRequest): Promise<DiffAnswer> {
  const none = (problem: DiffProblem): DiffAnswer => ({ kind: 'none', problem })
  const top = await git(['rev-parse', '--show-toplevel'], limits)
  if (top.end !== 'ok') return none(top.problem ?? 'no-repository')
  if (!isInside(top.output.replace(/\n$/, ''), await realpath('.'))) return none('elsewhere')
  const filters = await git(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], limits)
  // Exit code 1 means that there are no filters. After any other error, the list may be incomplete, and a filter could
  // run.
  if (filters.end !== 'ok' && filters.end !== 1) return none(filters.problem ?? 'unreadable-config')
  const diff = await git(diffCommand, limits, withoutFilters(filters.output.split('\0')))
  if (diff.end === 'ok' || diff.end === 'cut') {
    return { kind: 'diff', text: diff.output.slice(0, limits.mostBytes), isCut: diff.end === 'cut' }
  }
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], limits)
  return none(diff.problem ?? (head.end === 1 ? 'no-commit' : 'failed'))
}

const diffOptions = '--no-ext-diff --no-textconv --no-color --submodule=short --ignore-submodules=dirty --relative'
const diffCommand = ['diff', ...diffOptions.split(' '), 'HEAD', '--']

/** Disables the files and programs that a repository may name, as far as settings can do so. */
const settings = {
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  // git treats a larger file as binary, and does not load it.
  'core.bigFileThreshold': '16m',
  // git maps a pack in pieces, so that a large one fits within the memory limit.
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  // Otherwise git would write to its index which files it found unchanged.
  'diff.autoRefreshIndex': 'false',
}
const beforeCommand = [
  '--no-pager',
  '--no-optional-locks',
  ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
]

/** A filter is a program through which git pipes changed files. No flag disables filters, but an empty setting does. */
function withoutFilters(keys: readonly string[]): Record<string, string> {
  const filters = keys.filter((key) => /\.(?:clean|process|required)$/.test(key))
  const pairs = filters.flatMap((key, index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, ''],
  ])
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(filters.length) }
}

interface Ended {
  /** A number is the exit code; undefined means that git did not start or took too long. */
  readonly end: 'ok' | 'cut' | number | undefined
  readonly output: string
  readonly problem: DiffProblem | undefined
}

/**
 * Limits the memory, in KiB: a repository can declare an object of any size, for which git allocates memory at once.
 * Not every system enforces the limit.
 */
const limited = `ulimit -v ${1024 * 1024} 2>/dev/null || :; exec git "$@"`

type GitLimits = Pick<DiffRequest, 'timeoutMs' | 'mostBytes'>

/** Discards git's stderr, which quotes files that the repository's settings name. */
function git(args: readonly string[], { timeoutMs, mostBytes }: GitLimits, more: object = {}): Promise<Ended> {
  const env = {
    ...process.env,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    // Otherwise git would fetch missing objects of a partial clone, with a command that the repository chooses.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    ...more,
  }
  const options = { env, timeout: timeoutMs, maxBuffer: mostBytes, killSignal: 'SIGKILL' } as const
  return new Promise((resolve) => {
    execFile('sh', ['-c', limited, 'git', ...beforeCommand, ...args], options, (error, output) =>
      resolve({ end: endOf(error), output, problem: problemOf(error) }),
    )
  })
}

function endOf(error: { code?: unknown } | null): Ended['end'] {
  if (error === null) return 'ok'
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'cut'
  return typeof error.code === 'number' ? error.code : undefined
}

function problemOf(error: { code?: unknown; killed?: boolean } | null): DiffProblem | undefined {
  // 127 means that the shell did not find the program.
  if (error?.code === 127 || error?.code === 'ENOENT') return 'no-git'
  return error?.killed && endOf(error) !== 'cut' ? 'slow' : undefined
}

async function serve(line: string): Promise<void> {
  const { id, ...request } = JSON.parse(line) as HelperRequest & { readonly id: number }
  process.stdout.write(`${JSON.stringify({ id, value: await answer(request) })}\n`)
}

process.stdout.on('error', () => process.exit(1))
createInterface({ input: process.stdin })
  .on('line', (line) => void serve(line))
  // The daemon has closed the pipe.
  .on('close', () => process.exit(0))
