# hookbell: completion for fish
function __hookbell_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in (hookbell complete -- $words[2..] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$word"
            case :directories
                __fish_complete_directories "$word"
            case '*'
                echo $line
        end
    end
end
complete -c hookbell -f -k -a '(__hookbell_complete)'
