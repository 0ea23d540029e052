import type { Clock } from '~/clock.ts'

/** A clock that stops until it is set. */
export class HandClock implements Clock {
  constructor(private ms: number) {}

  now(): number {
    return this.ms
  }

  set(text: string): void {
    this.ms = Date.parse(text)
  }

  advance(ms: number): void {
    this.ms += ms
  }
}

export const clockAt = (text: string): HandClock => new HandClock(Date.parse(text))
