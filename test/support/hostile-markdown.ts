import fc from 'fast-check'

const pieces = [
  ...[
    '*',
    '**',
    '_',
    '~~',
    '`',
    '```',
    '```ts\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '\n',
    '\n\n',
    '  ',
    '|',
    '|---|',
    '[',
    '](',
    ')',
  ],
  ...[
    'https://example.org',
    '<',
    '>',
    '&',
    '<b>',
    '@name',
    '#tag',
    '/stop',
    '😀',
    '\u202e',
    '\ud83d',
    '\\',
    'word',
    '![',
  ],
]

/** Texts in which markup begins, nests and never ends. */
export const hostileMarkdown = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))
