/*
 * A stand-in for the `cygpath` of Git Bash, with what hookbell's hooks use of it, as its manual describes:
 * https://cygwin.com/cygwin-ug-net/cygpath.html
 *
 *   cygpath -F NUMBER   prints the folder that Windows gives for this CSIDL
 *   cygpath -u PATH     prints a path of Windows as a shell has it
 *   cygpath -w PATH     prints a path of a shell as Windows has it
 *
 * The shell below Wine has "C:/folder" where Git Bash has "/c/folder".
 */
#include <shlobj.h>
#include <stdio.h>
#include <wchar.h>

static int print(wchar_t *path, wchar_t from, wchar_t to) {
    for (wchar_t *at = path; (at = wcschr(at, from)) != NULL;) *at = to;
    char bytes[4 * 4096];
    if (WideCharToMultiByte(CP_UTF8, 0, path, -1, bytes, sizeof bytes, NULL, NULL) == 0) return 1;
    return puts(bytes) < 0;
}

int wmain(int count, wchar_t **words) {
    if (count != 3) return 1;
    if (wcscmp(words[1], L"-F") == 0) {
        wchar_t folder[MAX_PATH];
        HRESULT found = SHGetFolderPathW(NULL, wcstol(words[2], NULL, 10), NULL, 0, folder);
        return found == S_OK ? print(folder, L'\\', L'/') : 1;
    }
    if (wcscmp(words[1], L"-u") == 0) return print(words[2], L'\\', L'/');
    if (wcscmp(words[1], L"-w") == 0) return print(words[2], L'/', L'\\');
    return 1;
}
