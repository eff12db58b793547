import type { ProjectReader } from './project-reader.ts'

/** Facts from the manifest of a language other than JavaScript. */
export interface ManifestFacts {
  readonly language: 'Python' | 'Go' | 'Rust'
  readonly name: string | undefined
  readonly framework: string | undefined
  readonly testingFramework: string | undefined
}

interface Manifest {
  readonly language: ManifestFacts['language']
  /** A project with any of these files uses this language. */
  readonly files: readonly string[]
  readonly name: RegExp
  /**
   * Frameworks by name, each with the word that mentions it in a manifest: in quotes, at the start of a line or as a
   * path.
   */
  readonly frameworks: Readonly<Record<string, string>>
  readonly tests: Readonly<Record<string, string>>
  /** The language's own test runner. */
  readonly ownTests: string | undefined
}

/** Read line by line, not as TOML: these facts need no more, and a wrong guess only changes the wording of a prompt. */
const manifests: readonly Manifest[] = [
  {
    language: 'Python',
    files: ['pyproject.toml', 'requirements.txt', 'setup.cfg', 'setup.py'],
    name: /^\[(?:project|tool\.poetry)\][ \t]*\r?\n(?:(?!\[)[^\n]*\n)*?name\s*=\s*["']([^"'\n]+)["']/m,
    frameworks: { Django: 'django', FastAPI: 'fastapi', Litestar: 'litestar', Flask: 'flask', aiohttp: 'aiohttp' },
    tests: { pytest: 'pytest' },
    ownTests: undefined,
  },
  {
    language: 'Go',
    files: ['go.mod'],
    name: /^module\s+"?(?:[^\s"]*\/)?([^\s"/]+)"?\s*$/m,
    frameworks: {
      Gin: 'github.com/gin-gonic/gin',
      Echo: 'github.com/labstack/echo',
      Fiber: 'github.com/gofiber/fiber',
      chi: 'github.com/go-chi/chi',
    },
    tests: {},
    ownTests: 'go test',
  },
  {
    language: 'Rust',
    files: ['Cargo.toml'],
    name: /^\[package\][ \t]*\r?\n(?:(?!\[)[^\n]*\n)*?name\s*=\s*["']([^"'\n]+)["']/m,
    frameworks: { Axum: 'axum', 'Actix Web': 'actix-web', Rocket: 'rocket', Leptos: 'leptos', Tauri: 'tauri' },
    tests: {},
    ownTests: 'cargo test',
  },
]

/** The facts of every language that has a manifest in the project's directory. */
export async function readManifests(reader: ProjectReader): Promise<readonly ManifestFacts[]> {
  const found = await Promise.all(manifests.map((manifest) => readManifest(manifest, reader)))
  return found.filter((facts) => facts !== undefined)
}

async function readManifest(manifest: Manifest, reader: ProjectReader): Promise<ManifestFacts | undefined> {
  const read = await Promise.all(manifest.files.map((file) => reader.text(file, { mostBytes: 262_144 })))
  const texts = read.filter((text) => text !== undefined)
  if (texts.length === 0) return undefined
  const text = texts.join('\n')
  return {
    language: manifest.language,
    name: manifest.name.exec(text)?.[1],
    framework: mentioned(manifest.frameworks, text),
    testingFramework: mentioned(manifest.tests, text) ?? manifest.ownTests,
  }
}

function mentioned(marks: Readonly<Record<string, string>>, text: string): string | undefined {
  return Object.entries(marks).find(([, mark]) => isMentioned(mark, text))?.[0]
}

/**
 * Looks for the word as a whole, so that `flask` is not found in `flask-like`. The project's own name does not count as
 * a mention.
 */
function isMentioned(mark: string, text: string): boolean {
  const word = new RegExp(`(?:^|["'\\s,[])${mark.replaceAll('.', '\\.')}(?:$|["'\\s<>=~!;,@/[\\]])`, 'i')
  return text.split('\n').some((line) => !/^\s*name\s*=/.test(line) && word.test(line.split('#', 1)[0]!))
}
