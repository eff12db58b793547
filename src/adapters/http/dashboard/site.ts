import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
/** Formats that are already compressed. */
const compressed = new Set(['.png', '.woff2'])

type Encoding = 'br' | 'gzip' | undefined

const encoders = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const

/**
 * One file of the built dashboard. An encoding that the build has not made is made when it is first requested, and
 * kept.
 */
export class SiteFile {
  readonly type: string
  /** Whether the file never changes, because its name contains a hash of its content. */
  readonly isImmutable: boolean
  readonly #bytes: Buffer
  readonly #isCompressed: boolean
  readonly #encoded = new Map<Encoding, Promise<Buffer>>()

  constructor(path: string, bytes: Buffer, brotli?: Buffer) {
    const extension = extname(path)
    this.type = types[extension] ?? 'application/octet-stream'
    this.isImmutable = path.startsWith('/assets/')
    this.#bytes = bytes
    this.#isCompressed = compressed.has(extension)
    if (brotli) this.#encoded.set('br', Promise.resolve(brotli))
  }

  /** The best of the encodings that the header accepts. */
  encodingFor(accepted = ''): Encoding {
    if (this.#isCompressed) return undefined
    const names = accepted.split(',').map((each) => each.trim().split(';', 1)[0])
    return (['br', 'gzip'] as const).find((name) => names.includes(name))
  }

  async as(encoding: Encoding): Promise<Buffer> {
    if (encoding === undefined) return this.#bytes
    const known = this.#encoded.get(encoding) ?? encoders[encoding](this.#bytes)
    this.#encoded.set(encoding, known)
    return known
  }
}

/** The built dashboard. All of it is in memory, so that requests can reach no other file. */
export interface Site {
  readonly page: string
  readonly files: ReadonlyMap<string, SiteFile>
}

/** Reads the built dashboard. Returns undefined if there is none. */
export function readSite(directory: string): Site | undefined {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const contents = new Map(
      paths.map((path) => [`/${relative(directory, path).split(sep).join('/')}`, readFileSync(path)]),
    )
    const addresses = [...contents.keys()].filter((address) => !address.endsWith('.br'))
    const files = addresses.map((address) => {
      const file = new SiteFile(address, contents.get(address)!, contents.get(`${address}.br`))
      return [address, file] as const
    })
    return { page: contents.get('/index.html')!.toString('utf8'), files: new Map(files) }
  } catch {
    return undefined
  }
}
