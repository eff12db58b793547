import ts from 'typescript'
import { expect, test } from 'vitest'
import { redactText } from '../../src/base/lib/redact.ts'
import { isTest, nodesOf, readSourceFiles } from './source-file.ts'

/** Names that people choose for files, each of which looks like that of a secret. */
const chosen = ['/home/me/.config/private.token', '~/client_secret'] as const
const isPath = /file|path|written|directory/i
const severalWords = /\S\s+\S+\s+\S/
/** No text for people: a query of the store, what NATS reads, a header. */
const isCode = /^\s*(?:SELECT|FROM|UPDATE|INSERT|DELETE|\{ user:)|; HttpOnly;/
/** The terminal shows what follows on lines of its own, and the redactor never sees it. */
const endsWithList = /:\s*\n/
/** Parsing takes long, and only a colon or an equals sign after such a word makes a secret of what follows. */
const maybeEaten =
  /(?:token|secret|password|passwd|passphrase|api[-_]?key|credentials?|cookie|\$\{[^}]*(?:file|path|written|directory)[^}]*\})["']?\s*[=:]/i

/** What people read: texts of several words in which every value that may be a path is called like a secret. */
function sentences(): readonly { readonly at: string; readonly text: string }[] {
  return readSourceFiles()
    .filter(
      (file) =>
        file.path.startsWith('src/') &&
        !file.path.startsWith('src/app/demo/') &&
        !isTest(file) &&
        maybeEaten.test(file.text),
    )
    .flatMap((file) => nodesOf(file).flatMap((node) => textsOf(node).map((text) => ({ at: file.path, text }))))
    .filter(({ text }) => severalWords.test(text) && !isCode.test(text) && !endsWithList.test(text))
}

function textsOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return []
  return chosen.map((name) => {
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const value = isPath.test(expression.getText()) ? name : 'it'
      return value + literal.text
    })
    return [node.head.text, ...parts].join('')
  })
}

test('the redaction of secrets eats the end of no sentence, whatever the files in it are called', () => {
  const eaten = sentences().flatMap(({ at, text }) => (redactText(text) === text ? [] : [`${at}: ${redactText(text)}`]))
  expect([...new Set(eaten)]).toEqual([])
})
