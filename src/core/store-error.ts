/**
 * Thrown when the store could not write or read.
 *
 * - `full`: no space; the same call works again once there is room.
 * - `io`: the disk answered with an error; the store has reopened itself, call again.
 * - `damaged`: the database was broken; the store has set it aside and begun a new one, call again.
 * - `newer`: it was written by a newer hookbell.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: 'full' | 'io' | 'damaged' | 'newer';

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
