import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { theOwner } from '../../../kernel/call/principal.ts'
import type { Credentials } from '../credentials.ts'
import type { Routes } from '../routes.ts'
import { createDashboard } from './dashboard.ts'
import type { LoginParts } from './login.ts'

const script = 'const answer = 42\n'.repeat(200)
const page = '<!doctype html><html><head><title>Iris</title></head><body><div id="root"></div></body></html>'
const built = { 'dist/dashboard/index.html': page, 'dist/dashboard/assets/index-a1.js': script }

/** A package with these files, for a signed-in browser. */
function packageWith(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'iris-dashboard-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const credentials = {
    letIn: async (context: { set(name: 'auth', value: unknown): void }) => context.set('auth', { principal: theOwner }),
  } as unknown as Credentials
  const { pages } = createDashboard({ credentials, root } as unknown as LoginParts & { root: string })
  return { root, write, pages, open: (path: string) => opened(pages, path) }
}

function opened(pages: Routes, path: string, headers: Record<string, string> = {}) {
  return pages.request(path, { headers: { accept: 'text/html', ...headers } })
}

test('each address of its own is the page, which is never kept and may do next to nothing', async () => {
  const { open } = packageWith(built)
  const nonces = new Set<string>()
  for (const path of ['/', '/sessions/abc', '/traces/7?tab=x', '/apiary']) {
    const answer = await open(path)
    const policy = answer.headers.get('content-security-policy')!
    const [, nonce = ''] = /'nonce-([\w+/=]+)'/.exec(policy) ?? []
    nonces.add(nonce)
    expect(await answer.text()).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
    expect(policy.replace(nonce, 'N').split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-N'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  }
  expect(nonces.size).toBe(4)
})

test.each(['/api', '/api/teams', '/mcp', '/health', '/ready', '/metrics', '/logout', '/stop', '/.well-known/x'])(
  '%s is no page',
  async (path) => {
    expect(await (await packageWith(built).open(path)).text()).toBe('404 Not Found')
  },
)

test('a program that asks for no page gets none', async () => {
  const { pages } = packageWith(built)
  expect((await pages.request('/sessions/abc', { headers: { accept: 'application/json' } })).status).toBe(404)
})

test('a file whose name says what is in it is kept by the browser, and comes compressed', async () => {
  const { pages } = packageWith(built)
  const get = async (accepted: string) => opened(pages, '/assets/index-a1.js', { 'accept-encoding': accepted })
  const [br, gzip, plain] = await Promise.all(['gzip, br;q=0.9', 'gzip', 'identity'].map(get))
  expect(br!.headers.get('cache-control')).toContain('immutable')
  expect(br!.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const bytes = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
  expect(brotliDecompressSync(await bytes(br!)).toString()).toBe(script)
  expect(gunzipSync(await bytes(gzip!)).toString()).toBe(script)
  expect([await plain!.text(), plain!.headers.get('content-encoding')]).toEqual([script, null])
})

test('what the build has compressed is served as it is, and has no address of its own', async () => {
  const { pages, write } = packageWith(built)
  const made = brotliCompressSync('made by the build')
  write('dist/dashboard/assets/index-a1.js.br', made)
  const answer = await opened(pages, '/assets/index-a1.js', { 'accept-encoding': 'br' })
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(made)
  expect((await pages.request('/assets/index-a1.js.br', { headers: { accept: '*/*' } })).status).toBe(404)
})

test.each(['/assets/../../../package.json', '/assets/%2e%2e/index.html', '//etc/passwd', '/assets/none.js'])(
  'nothing else of the disk can be asked for: %s',
  async (path) => {
    const { pages, write } = packageWith(built)
    write('package.json', 'secret')
    expect((await pages.request(path, { headers: { accept: '*/*' } })).status).toBe(404)
  },
)

/** A checkout whose build contains the text of its one source. */
const checkout = {
  'dashboard/index.html': page,
  'dashboard/src/app.ts': 'first',
  'scripts/build-dashboard.ts': `
    import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
    appendFileSync('builds', 'x')
    const text = readFileSync('dashboard/src/app.ts', 'utf8')
    if (text.startsWith('wrong')) throw new Error(text)
    mkdirSync('dist/dashboard', { recursive: true })
    writeFileSync('dist/dashboard/index.html', '<html><head>' + text)`,
}

/** Reloads the page, as it does on its own, until it contains `text`. */
function loadedUntil(open: (path: string) => Response | Promise<Response>, text: string) {
  let last = ''
  return eventually(() => {
    void Promise.resolve(open('/')).then(async (answer) => (last = await answer.text()))
    return last.includes(text) && last
  }, `the page says ${text}`)
}

test('in a checkout the first look at it builds it, and the page loads again by itself', async () => {
  const { open, root, write } = packageWith(checkout)
  const first = await open('/')
  expect(first.status).toBe(503)
  expect(await first.text()).toContain('<meta http-equiv="refresh" content="1">')
  await loadedUntil(open, '<html><head><meta property="csp-nonce"')
  await open('/')
  expect(readFileSync(join(root, 'builds'), 'utf8')).toBe('x')

  const later = new Date(Date.now() + 5000)
  write('dashboard/src/app.ts', 'second')
  utimesSync(join(root, 'dashboard/src/app.ts'), later, later)
  expect((await open('/')).status).toBe(503)
})

test('a build that fails says why, and is tried again when asked for again', async () => {
  const { open, write } = packageWith({ ...checkout, 'dashboard/src/app.ts': 'wrong <b>here</b>' })
  const told = await loadedUntil(open, 'could not be built')
  expect(told).toContain('wrong &lt;b&gt;here&lt;/b&gt;')
  write('dashboard/src/app.ts', 'right')
  await loadedUntil(open, '>right')
})

test('an installation without it says so', async () => {
  const { open, root } = packageWith({ 'package.json': '{}' })
  expect([(await open('/')).status, readdirSync(root)]).toEqual([500, ['package.json']])
})
