// Loaded before src/main.ts: taking the types out of TypeScript, and compiling it, takes longer than most commands.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/iris`)
