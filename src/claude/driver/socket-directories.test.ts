import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const module = new URL('socket-directories.ts', import.meta.url).href
const program = `
import { socketDirectories } from '${module}'
console.log(JSON.stringify(socketDirectories([{ USER: 'app' }, { TMPDIR: '/scratch', USER: '../..' }])))`

test('a user id without a name, as in a container, has socket directories', () => {
  const node = [process.execPath, '--input-type=module', '--eval', program]
  const said = execFileSync('unshare', ['--user', '--map-user=42424', ...node], { encoding: 'utf8', stdio: 'pipe' })
  expect(JSON.parse(said)).toEqual([
    '/scratch/cc-socks',
    '/run/user/42424/cc-socks',
    '/tmp/cc-socks',
    '/tmp/cc-socks-42424',
    '/tmp/cc-daemon-42424',
    '/tmp/claude-mcp-browser-bridge-app',
    '/tmp/claude-mcp-browser-bridge-default',
  ])
})
