export { secretReference } from '../../core/secret-reference.ts';
