// The small changes of a compiled file that mutate.mjs draws from.
import { readFileSync } from 'node:fs';

import { parseAst } from 'rolldown/parseAst';

const SWAPS = {
  __proto__: null,
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};
const CALLS = {
  __proto__: null,
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  find: 'findLast',
  findLast: 'find',
};

/** All changes of a file: operators, conditions, numbers, truth values, and calls left out; wording is not changed. */
export function mutantsOf(path) {
  const code = readFileSync(path, 'utf8');
  const found = [];
  const add = (node, text) => {
    const was = code.slice(node.start, node.end);
    if (text !== was) found.push({ path, start: node.start, end: node.end, was, text });
  };
  const textIn = (part) => code.slice(part.start, part.end);
  visit(parseAst(code), (node) => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const { left, right, operator } = node;
        if (operator === '??') add(node, textIn(left));
        const swapped = SWAPS[operator];
        if (swapped === undefined || (operator === '+' && [left, right].some(isText))) break;
        add(node, `(${textIn(left)}) ${swapped} (${textIn(right)})`);
        break;
      }
      case 'UnaryExpression':
        if (node.operator === '!') add(node, textIn(node.argument));
        break;
      case 'ConditionalExpression':
      case 'IfStatement':
        add(node.test, `!(${textIn(node.test)})`);
        break;
      case 'Literal':
        if (typeof node.value === 'number') add(node, String(node.value + 1));
        if (typeof node.value === 'boolean') add(node, String(!node.value));
        break;
      case 'CallExpression': {
        const { callee } = node;
        const swapped =
          callee.type === 'MemberExpression' ? CALLS[callee.property.name] : undefined;
        if (swapped !== undefined) add(callee.property, swapped);
        break;
      }
      case 'ExpressionStatement':
        if (node.expression.type === 'CallExpression' && !isLog(node.expression)) add(node, ';');
        break;
      default:
    }
  });
  return found;
}

function visit(node, callback) {
  callback(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, callback);
    }
  }
}

function isText({ type, value }) {
  return type === 'TemplateLiteral' || typeof value === 'string';
}

function isLog({ callee }) {
  return callee.object?.name === 'log';
}
