import { expect, test } from 'vitest'
import { disarmed } from './disarmed.ts'

const link = '[bank](https://evil.example)'
const shown = '[bank]\\(https://evil.example)'

test.each([
  ['in the middle of a line', `see ${link}`],
  ['after a code block without its end', `\`\`\`\ncode\n${link}`],
  ['between backticks that are escaped', `\\\`${link}\\\``],
  ['after a backtick in an address', `https://x.example/\` ${link}\``],
  ['after a backtick in bold text', `**a \` b** ${link}\``],
  ['between backticks on two lines', `\`a\n\`${link}\``],
  ['after a code block without content', `\`\`\`\n\`\`\` text \`\`\`${link}\`\`\``],
  ['after two backticks', `\`\`a\` ${link}\``],
  ['in code', `\`${link}\``],
  ['in a code block', `\`\`\`md\n${link}\n\`\`\``],
])('no address is hidden behind words: %s', (_, text) => {
  expect(disarmed(text)).toBe(text.replace(link, shown))
})

test.each([
  ['a blank', '[a]( https://evil.example)'],
  ['angle brackets', '[a](<https://evil.example>)'],
  ['an escaped colon', '[a](https\\://evil.example)'],
  ['a control character', '[a](\u0001https://evil.example)'],
  ['another scheme', '[a](steam://evil.example)'],
  ['no slashes', '[a](HTTPS:evil.example)'],
])('neither is one in code that is written with %s', (_, text) => {
  expect(disarmed(`\`${text}\``)).toBe(`\`${text.replace('](', ']\\(')}\``)
})

test.each(['`table[op](a, b)`', '```js\nlist[0](x, { y: 1 })\n```', '`calls[i](std::move(x))`', '`swift[0](name: x)`'])(
  'code stays as it is: %s',
  (text) => expect(disarmed(text)).toBe(text),
)

test('other brackets stay as they are', () =>
  expect(disarmed('[a] (b) ] (c) <https://x.example>')).toBe('[a] (b) ] (c) <https://x.example>'))
