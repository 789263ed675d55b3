/**
 * The values of D-Bus, to bytes and back: dbus.freedesktop.org/doc/dbus-specification.html, "Marshaling (Wire Format)".
 *
 * | type         | here                                                 |
 * | ------------ | ---------------------------------------------------- |
 * | y n q i u h d | number                                              |
 * | x t          | bigint                                               |
 * | b            | boolean                                              |
 * | s o g        | string                                               |
 * | a            | array; a dictionary is an array of [key, value]      |
 * | ( )          | array                                                |
 * | v            | `Variant`                                            |
 */
export type BusValue = number | bigint | boolean | string | Variant | readonly BusValue[];

/** A value with its type. */
export interface Variant {
  readonly signature: string;
  readonly value: BusValue;
}

/** The data is not D-Bus. */
export class DBusFormatError extends Error {
  override readonly name = 'DBusFormatError';
}

interface Type {
  readonly code: string;
  readonly inner: readonly Type[];
}

const MAX_SIGNATURE_BYTES = 255;
const MAX_ARRAY_BYTES = 64 * 1024 * 1024;
/** Of nested containers, including variants. */
const MAX_DEPTH = 64;

/** The codes of types by the multiple of bytes at which their values begin. */
const alignments: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({ ygv: 1, nq: 2, biuhsoa: 4, 'xtd({': 8 }).flatMap(([codes, alignment]) =>
    Array.from(codes, (code) => [code, alignment]),
  ),
);

/** @throws DBusFormatError */
function typesOf(signature: string): readonly Type[] {
  if (signature.length > MAX_SIGNATURE_BYTES)
    throw new DBusFormatError('The signature is too long');
  let at = 0;

  function next(depth: number): Type {
    const code = signature[at] ?? '';
    at += 1;
    if (depth > MAX_DEPTH) throw new DBusFormatError('The signature nests too deep');
    if (code === 'a') return { code, inner: [next(depth + 1)] };
    if (code !== '(' && code !== '{') {
      if (alignments[code] === undefined)
        throw new DBusFormatError('The signature has no such type');
      return { code, inner: [] };
    }
    const inner: Type[] = [];
    const end = code === '(' ? ')' : '}';
    while (signature[at] !== end) inner.push(next(depth + 1));
    at += 1;
    // An element without bytes would make an array of them endless.
    if (inner.length === 0) throw new DBusFormatError('The signature has an empty structure');
    return { code, inner };
  }

  const types: Type[] = [];
  while (at < signature.length) types.push(next(0));
  return types;
}

/** Little-endian bytes. @throws TypeError where a value is not of its type */
export function encodeValues(signature: string, values: readonly BusValue[]): Buffer {
  const parts: Buffer[] = [];
  let length = 0;

  function put(part: Buffer): void {
    parts.push(part);
    length += part.length;
  }
  function align(to: number): void {
    put(Buffer.alloc((to - (length % to)) % to));
  }
  function putNumber(code: string, value: BusValue): void {
    const bytes = Buffer.alloc(alignments[code] ?? 4);
    align(bytes.length);
    if (code === 'x' || code === 't') {
      if (typeof value !== 'bigint') throw wrongType('bigint', code);
      if (code === 'x') bytes.writeBigInt64LE(value);
      else bytes.writeBigUInt64LE(value);
    } else {
      if (typeof value !== 'number') throw wrongType('number', code);
      if (code === 'd') bytes.writeDoubleLE(value);
      else if (code === 'n' || code === 'i') bytes.writeIntLE(value, 0, bytes.length);
      else bytes.writeUIntLE(value, 0, bytes.length);
    }
    put(bytes);
  }
  function putText(code: string, value: BusValue): void {
    if (typeof value !== 'string') throw wrongType('string', code);
    // The bus ends the connection of a program that sends a NUL within a string.
    const text = Buffer.from(value.replaceAll('\0', ''), 'utf8');
    if (code === 'g') putNumber('y', text.length);
    else putNumber('u', text.length);
    put(text);
    put(Buffer.alloc(1));
  }
  function putAll(inner: readonly Type[], value: BusValue): void {
    if (!isArray(value) || value.length !== inner.length) {
      throw new TypeError(`A value has no ${inner.length} parts`);
    }
    for (const [index, type] of inner.entries()) putValue(type, value[index] ?? '');
  }
  function putArray(element: Type, value: BusValue): void {
    if (!isArray(value)) throw wrongType('array', 'a');
    align(4);
    const size = Buffer.alloc(4);
    put(size);
    align(alignments[element.code] ?? 1);
    const start = length;
    for (const each of value) putValue(element, each);
    size.writeUInt32LE(length - start);
  }
  function putValue({ code, inner }: Type, value: BusValue): void {
    const [element] = inner;
    if (code === 'a' && element !== undefined) return putArray(element, value);
    if (code === '(' || code === '{') {
      align(8);
      return putAll(inner, value);
    }
    if (code === 'v') {
      if (!isVariant(value)) throw wrongType('variant', 'v');
      putText('g', value.signature);
      return putAll(typesOf(value.signature), [value.value]);
    }
    if (code === 's' || code === 'o' || code === 'g') return putText(code, value);
    return putNumber(code, code === 'b' ? Number(value) : value);
  }

  putAll(typesOf(signature), values);
  return Buffer.concat(parts);
}

/**
 * The values in untrusted bytes.
 *
 * @param bytes begins at a multiple of 8 bytes in its message
 * @returns them, and how many bytes they took
 * @throws DBusFormatError, RangeError of Buffer
 */
export function decodeValues(
  signature: string,
  bytes: Buffer,
  isLittleEndian: boolean,
): { readonly values: readonly BusValue[]; readonly length: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;

  function align(to: number): void {
    at += (to - (at % to)) % to;
  }
  function takeNumber(code: string): number | bigint {
    const size = alignments[code] ?? 4;
    align(size);
    const start = at;
    at += size;
    if (code === 'd') return view.getFloat64(start, isLittleEndian);
    if (code === 'x') return view.getBigInt64(start, isLittleEndian);
    if (code === 't') return view.getBigUint64(start, isLittleEndian);
    if (code === 'n') return view.getInt16(start, isLittleEndian);
    if (code === 'i') return view.getInt32(start, isLittleEndian);
    if (size === 1) return view.getUint8(start);
    return size === 2
      ? view.getUint16(start, isLittleEndian)
      : view.getUint32(start, isLittleEndian);
  }
  function takeText(code: string): string {
    const size = Number(takeNumber(code === 'g' ? 'y' : 'u'));
    const start = at;
    at += size + 1;
    if (bytes[at - 1] !== 0) throw new DBusFormatError('A string does not end where it should');
    return bytes.toString('utf8', start, at - 1);
  }
  function takeArray(element: Type, depth: number): readonly BusValue[] {
    const size = Number(takeNumber('u'));
    align(alignments[element.code] ?? 1);
    const end = at + size;
    if (size > MAX_ARRAY_BYTES || end > bytes.length) {
      throw new DBusFormatError('An array is longer than its message');
    }
    const values: BusValue[] = [];
    const left = (): number => end - at;
    while (left() > 0) values.push(takeValue(element, depth));
    if (left() !== 0) throw new DBusFormatError('An array does not end where it should');
    return values;
  }
  function takeValue({ code, inner }: Type, depth: number): BusValue {
    if (depth > MAX_DEPTH) throw new DBusFormatError('A value nests too deep');
    const [element] = inner;
    if (code === 'a' && element !== undefined) return takeArray(element, depth + 1);
    if (code === '(' || code === '{') {
      align(8);
      return inner.map((type) => takeValue(type, depth + 1));
    }
    if (code === 'v') {
      const signatureOf = takeText('g');
      const [type, more] = typesOf(signatureOf);
      if (type === undefined || more !== undefined) {
        throw new DBusFormatError('A variant has not one type');
      }
      return { signature: signatureOf, value: takeValue(type, depth + 1) };
    }
    if (code === 's' || code === 'o' || code === 'g') return takeText(code);
    const number = takeNumber(code);
    return code === 'b' ? number !== 0 : number;
  }

  const values = typesOf(signature).map((type) => takeValue(type, 0));
  if (at > bytes.length) throw new DBusFormatError('The values are longer than their message');
  return { values, length: at };
}

function wrongType(type: string, code: string): TypeError {
  return new TypeError(`A value is not of type ${type} for "${code}"`);
}

function isArray(value: BusValue): value is readonly BusValue[] {
  return Array.isArray(value);
}

function isVariant(value: BusValue): value is Variant {
  return typeof value === 'object' && 'signature' in value;
}
