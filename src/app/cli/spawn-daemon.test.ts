import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { homePaths } from '../../platform/config/home.ts'
import { daemonEnvironment, mainFile, nodeArguments, spawnDaemon } from './spawn-daemon.ts'

test('a daemon gets the environment of its caller without what a console or an agent gave that one', () => {
  const kept = {
    HOME: '/h',
    PATH: '/bin',
    ANTHROPIC_API_KEY: 'k',
    CLAUDE_CONFIG_DIR: '/c',
    CLAUDE_CODE_USE_BEDROCK: '1',
  }
  const env = {
    ...kept,
    IRIS_HOME: 'another',
    IRIS_PROCESS: 'marker.1',
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: '/p',
    CLAUDE_CODE_SESSION_ID: 's',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    CLAUDE_CODE_MESSAGING_SOCKET: '/s',
    CLAUDE_CODE_MESSAGING_TOKEN: 't',
    CLAUDE_CODE_CHILD_ID: 'c',
    CLAUDE_CODE_LAUNCHED_BY_X: 'x',
    UNSET: undefined,
  }
  expect(daemonEnvironment('/h/.iris', env)).toEqual({ ...kept, IRIS_HOME: '/h/.iris' })
})

test('the program it starts is there, and what is loaded before it', () => {
  const files = nodeArguments('start').filter((word) => word.startsWith('/'))
  expect(files).toContain(mainFile)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

test('a daemon in the background opens no debugger, and waits for none, whatever NODE_OPTIONS says', () => {
  const given =
    '--inspect-brk=127.0.0.1:0 --use-system-ca --inspect --inspect-wait=9 --max-old-space-size=4096 --require ./--inspect.js'
  const env = { NODE_OPTIONS: given, VSCODE_INSPECTOR_OPTIONS: '{"inspectorIpc":"x"}' }
  const { NODE_OPTIONS, ...others } = daemonEnvironment('/h/.iris', env)
  expect(NODE_OPTIONS?.split(/\s+/).filter(Boolean)).toEqual([
    '--use-system-ca',
    '--max-old-space-size=4096',
    '--require',
    './--inspect.js',
  ])
  expect(others).toEqual({ IRIS_HOME: '/h/.iris' })
})

test('the error for a full disk names the file that the daemon could not write', () => {
  using scratch = scratchDirectory()
  const { log } = homePaths(scratch.path)
  mkdirSync(dirname(log))
  symlinkSync('/dev/full', `${log}.probe`)
  expect(() => spawnDaemon(scratch.path, {})).toThrow(expect.objectContaining({ code: 'ENOSPC', path: log }))
})
