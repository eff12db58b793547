import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import headless from '@xterm/headless'

/**
 * Makes the recording at the top of the README again: runs `iris demo` in a terminal and draws what the terminal showed as an
 * animated SVG, which needs no script and no font of its own.
 */

const root = join(import.meta.dirname, '..')
const target = join(root, 'docs/guide/images/demo.svg')
const typed = './iris demo'
const [columns, rows] = [92, 26]
/** Milliseconds: of the whole, of its last picture, of the longest pause, and between two keys of the person who types. */
const [wholeMs, lastMs, longestPauseMs, keyMs] = [20_000, 5000, 1500, 70]
/** Changes that are closer than this are one picture, milliseconds. */
const closeMs = 120

interface Chunk {
  readonly at: number
  readonly text: string
}

/** One row of the screen from a moment to another. */
interface Shown {
  readonly row: number
  readonly spans: readonly Span[]
  readonly from: number
  to: number
}

interface Span {
  readonly column: number
  readonly text: string
  readonly look: string
}

/** Runs the demo on a pty; resolves with what it printed, and when. */
async function recorded(): Promise<readonly Chunk[]> {
  const home = mkdtempSync(join(tmpdir(), 'iris-recording-'))
  const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color', TMPDIR: home }
  const command = `stty rows ${rows} cols ${columns}; exec ${join(root, 'iris')} demo`
  const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const began = performance.now()
  const chunks: Chunk[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push({ at: performance.now() - began, text }))
  const [code] = await once(child, 'close')
  rmSync(home, { recursive: true, force: true })
  if (code !== 0) throw new Error(`iris demo ended with ${code}:\n${chunks.map(({ text }) => text).join('')}`)
  return chunks.map(({ at, text }) => ({ at, text: text.replaceAll(home, '/tmp') }))
}

/** What a person typed before it, one key after another; then the output with its long pauses cut, in as long as it may take. */
function timed(output: readonly Chunk[]): readonly Chunk[] {
  const keys = typed.split('').map((text, index) => ({ at: 600 + index * keyMs, text }))
  const started = 600 + typed.length * keyMs + 300
  let [at, last] = [0, 0]
  const paced = output.map((chunk) => {
    at += Math.min(longestPauseMs, chunk.at - last)
    last = chunk.at
    return { at, text: chunk.text }
  })
  const pace = Math.min(1, (wholeMs - lastMs - started) / at)
  const shown = paced.map((chunk) => ({ at: started + chunk.at * pace, text: chunk.text }))
  return [{ at: 0, text: '\u001b[32m$\u001b[0m ' }, ...keys, { at: started, text: '\r\n' }, ...shown]
}

/** The rows of the screen over time: each with the time for which it stays as it is. */
async function rowsOverTime(chunks: readonly Chunk[]): Promise<readonly Shown[]> {
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const ended: Shown[] = []
  let open = new Map<number, Shown>()
  const look = (at: number): void => {
    const now = new Map<number, Shown>()
    for (let row = 0; row < rows; row++) {
      const spans = spansOf(screen, row)
      const before = open.get(row)
      if (before !== undefined && JSON.stringify(before.spans) === JSON.stringify(spans)) now.set(row, before)
      else {
        if (before !== undefined) ended.push({ row, spans: before.spans, from: before.from, to: at })
        if (spans.length > 0) now.set(row, { row, spans, from: at, to: wholeMs })
      }
    }
    open = now
  }
  for (const [index, { at, text }] of chunks.entries()) {
    await new Promise<void>((resolve) => screen.write(text, resolve))
    if ((chunks[index + 1]?.at ?? Number.POSITIVE_INFINITY) - at > closeMs || at < 2000) look(at)
  }
  return [...ended, ...open.values()]
}

function spansOf(screen: headless.Terminal, row: number): readonly Span[] {
  const { active } = screen.buffer
  const line = active.getLine(active.viewportY + row)
  const spans: { column: number; text: string; look: string }[] = []
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const look = [
      cell.isBold() ? 'b' : '',
      cell.isDim() ? 'd' : '',
      cell.isFgPalette() ? `c${cell.getFgColor() % 8}` : '',
    ]
    const [text, name] = [cell.getChars() || ' ', look.filter(Boolean).join(' ')]
    const last = spans.at(-1)
    if (last !== undefined && last.look === name) last.text += text
    else spans.push({ column, text, look: name })
  }
  return spans.flatMap(({ column, text, look }) => {
    const begin = text.trimStart()
    return begin === '' ? [] : [{ column: column + text.length - begin.length, text: begin.trimEnd(), look }]
  })
}

const [cell, lineHeight, edge, bar] = [8.4, 19, 16, 30]

function svgOf(shown: readonly Shown[]): string {
  const [width, height] = [Math.ceil(columns * cell + 2 * edge), rows * lineHeight + 2 * edge + bar]
  const share = (at: number): string => (at / wholeMs).toFixed(4).replace(/0+$/, '').replace(/\.$/, '')
  const drawn = shown.map(({ row, spans, from, to }) => {
    const y = bar + edge + (row + 0.75) * lineHeight
    const texts = spans.map(({ column, text, look }) => {
      const name = look === '' ? '' : ` class="${look}"`
      const length = ` textLength="${(text.length * cell).toFixed(1)}"`
      return `<text x="${(edge + column * cell).toFixed(1)}" y="${y.toFixed(1)}"${name}${length}>${escaped(text)}</text>`
    })
    const ends = to >= wholeMs ? ['0;1', `0;${share(from)}`] : ['0;1;0', `0;${share(from)};${share(to)}`]
    const shows = `<animate attributeName="opacity" calcMode="discrete" dur="${wholeMs / 1000}s" repeatCount="indefinite" values="${ends[0]}" keyTimes="${ends[1]}"/>`
    return `<g opacity="0">${shows}${texts.join('')}</g>`
  })
  const colors = ['#768390', '#f47067', '#8ddb8c', '#e0c285', '#6cb6ff', '#dcbdfb', '#76e3ea', '#cdd9e5']
  const looks = colors.map((color, index) => `.c${index}{fill:${color}}`).join('')
  const dots = ['#f47067', '#e0c285', '#8ddb8c'].map(
    (fill, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${fill}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>A terminal runs iris demo: the project frontend asks the project backend, and gets its answer</title>',
    `<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#cdd9e5;white-space:pre}.b{font-weight:bold}.d{opacity:.6}${looks}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1c2128"/>`,
    ...dots,
    ...drawn,
    '</svg>\n',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const text = svgOf(await rowsOverTime(timed(await recorded())))
writeFileSync(target, text)
process.stdout.write(`${target}: ${Math.ceil(Buffer.byteLength(text) / 1000)} kB\n`)
