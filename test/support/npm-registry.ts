import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** A registry on the loopback interface, from which npm installs for real where there is no network. */
export interface NpmRegistry extends AsyncDisposable {
  readonly url: string
  /** The names it was asked for, each once; `name@version` where the package itself was fetched. */
  readonly asked: ReadonlySet<string>
}

interface Locked {
  readonly version: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

/** Offers what the lock file has for production, as it lies in this checkout, and nothing else: the rest is not found. */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const asked = new Set<string>()
  const offered = offeredPackages()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const [name = '', version] = path.split('/-/')
    asked.add(version === undefined ? name : `${name}@${version}`)
    const versions = offered.get(name)
    if (version !== undefined && versions?.has(version)) return sendTarball(versions.get(version)!, response)
    if (versions === undefined || version !== undefined) return void response.writeHead(404).end('{}')
    return void response.end(JSON.stringify(packument(name, versions, url)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** By name, then by version: the directory. */
function offeredPackages(): Map<string, Map<string, string>> {
  const lock = JSON.parse(readFileSync(`${checkout}package-lock.json`, 'utf8'))
  const offered = new Map<string, Map<string, string>>()
  for (const [path, { dev, version }] of Object.entries<Locked>(lock.packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (path === '' || dev === true || name.startsWith('node-linux-')) continue
    offered.set(name, (offered.get(name) ?? new Map()).set(version, checkout + path))
  }
  return offered
}

function packument(name: string, versions: ReadonlyMap<string, string>, url: string) {
  const manifests = [...versions].map(([version, directory]) => {
    const manifest = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'))
    return [version, { ...manifest, dist: { tarball: `${url}/${name}/-/${version}` } }]
  })
  return { name, 'dist-tags': { latest: manifests.at(-1)?.[0] }, versions: Object.fromEntries(manifests) }
}

function sendTarball(directory: string, response: ServerResponse): void {
  const args = [
    '--create',
    '--transform',
    's,^\\.,package,',
    '--exclude',
    './node_modules',
    '--directory',
    directory,
    '.',
  ]
  spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response)
}
