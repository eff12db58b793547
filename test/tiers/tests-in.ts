import { parseSync } from 'vite'

interface FoundTest {
  readonly title: string
  /** It, or a `describe` around it, has the tag `thorough`. */
  readonly isThorough: boolean
}

/** A node of the syntax tree, as plain data. */
interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

/** Every test that a file of tests declares, with its title as it is written; `%s` stays in that of a table. */
export function testsIn(path: string, text: string): readonly FoundTest[] {
  return declared(parseSync(path, text).program, false)
}

function declared(value: unknown, isThorough: boolean): readonly FoundTest[] {
  if (Array.isArray(value)) return value.flatMap((each) => declared(each, isThorough))
  if (!isNode(value)) return []
  const name = value.type === 'CallExpression' ? calledName(value['callee']) : undefined
  const args = name === undefined ? [] : (value['arguments'] as readonly Node[])
  const title = name === undefined ? undefined : textOf(args[0])
  const within = isThorough || args.some(hasTag)
  const own = title !== undefined && name !== 'describe' ? [{ title, isThorough: within }] : []
  return [
    ...own,
    ...Object.values(value).flatMap((child) => declared(child, title === undefined ? isThorough : within)),
  ]
}

/** `test`, also of `test.each(table)(…)`. */
function calledName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined
  if (callee.type === 'Identifier') return ['test', 'describe'].find((name) => name === callee['name'])
  return calledName(callee.type === 'MemberExpression' ? callee['object'] : callee['callee'])
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node?.type !== 'TemplateLiteral') return undefined
  const [quasi, ...more] = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[]
  return more.length === 0 ? quasi?.value.cooked : undefined
}

function hasTag(node: Node): boolean {
  const properties = node.type === 'ObjectExpression' ? (node['properties'] as readonly Node[]) : []
  return properties.some(
    (property) =>
      isNode(property['key']) &&
      property['key']['name'] === 'tags' &&
      JSON.stringify(property['value']).includes('"thorough"'),
  )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
