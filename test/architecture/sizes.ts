import ts from 'typescript'
import { isTest, nodesOf, placeOf, type SourceFile } from './source-file.ts'

const maxFile = 400
const usualFile = 200
const oneIn = 10
const maxFunction = 90
/** Of a component, most of which is what it looks like. */
const maxComponent = 90

export function fileSizeBreaches(files: readonly SourceFile[]): readonly string[] {
  const sizes = files.map((file) => ({ path: file.path, lines: lineCount(file) }))
  const tooLong = sizes.filter(({ lines }) => lines > maxFile)
  const breaches = tooLong.map(({ path, lines }) => `${path} has ${lines} lines; no file has over ${maxFile}`)

  const long = sizes.filter(({ lines }) => lines > usualFile)
  if (long.length * oneIn > sizes.length) {
    const list = long.map(({ path, lines }) => `${path} (${lines})`).join(', ')
    breaches.push(`${long.length} of ${sizes.length} files have over ${usualFile} lines; one in ${oneIn} may: ${list}`)
  }
  return breaches
}

/** Test files are left out: a table of cases is long and plain. */
export function functionSizeBreaches(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      nodesOf(file).flatMap((node) => {
        if (!ts.isFunctionLike(node)) return []
        const lines = node.getText().split('\n').length
        const longest = file.path.endsWith('.tsx') ? maxComponent : maxFunction
        return lines > longest
          ? [`${placeOf(file, node)} is a function of ${lines} lines; none has over ${longest}`]
          : []
      }),
    )
}

function lineCount({ text }: SourceFile): number {
  return text.replace(/\n$/, '').split('\n').length
}
