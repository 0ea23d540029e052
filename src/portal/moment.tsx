/** @jsxImportSource preact */
import { momentText, spanText } from './format.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

/** A moment, for people and for machines. */
export const Moment = ({ ms }: { ms: number }) => <time dateTime={iso(ms)}>{momentText(ms)}</time>

/** How old something is; the moment itself shows when one points at it. */
export const Age = ({ ms, nowMs }: { ms: number; nowMs: number }) => (
  <time dateTime={iso(ms)} title={momentText(ms)}>
    {spanText(nowMs - ms)}
  </time>
)
