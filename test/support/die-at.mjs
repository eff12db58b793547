/**
 * Kills the process that loads it (`node --import`) at a step of its work on files: `DIE_AT=<step>`, before that step
 * has any effect. Steps: `commit`, `committed`, `remove <name>`, `rename <name>`.
 */

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const { DIE_AT: deadly } = process.env

function reach(step) {
  if (step === deadly) process.kill(process.pid, 'SIGKILL')
}

const exec = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'exec').value
DatabaseSync.prototype.exec = function (sql) {
  if (sql !== 'COMMIT') return exec.call(this, sql)
  reach('commit')
  exec.call(this, sql)
  reach('committed')
}
const { rmSync, renameSync } = fs
fs.rmSync = (path, options) => {
  reach(`remove ${basename(String(path))}`)
  rmSync(path, options)
}
fs.renameSync = (from, to) => {
  reach(`rename ${basename(String(to))}`)
  renameSync(from, to)
}
syncBuiltinESMExports()
