# A formula for your own tap: set url and sha256 to the archive of a release.
class Hookbell < Formula
  desc "Notifications from coding agents"
  homepage "https://github.com/OWNER/hookbell"
  url "https://github.com/OWNER/hookbell/archive/v1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "ci", "--ignore-scripts"
    system "npm", "run", "build"
    system "node", "scripts/packaged-program.mjs", libexec
    bin.install_symlink libexec/"dist/program/cli.js" => "hookbell"
    bash_completion.install "config/completion/hookbell.bash" => "hookbell"
    zsh_completion.install "config/completion/hookbell.zsh" => "_hookbell"
    fish_completion.install "config/completion/hookbell.fish"
    (man1/"hookbell.1").write Utils.safe_popen_read(bin/"hookbell", "man")
  end

  def caveats
    <<~EOS
      Run "hookbell install" once: it registers the hooks and starts the daemon.
      Run "hookbell uninstall" before you remove hookbell.
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hookbell --version")
    # An event through the real hook and the daemon, which no channel notifies.
    ENV["HOME"] = testpath
    (testpath/".config/hookbell").mkpath
    (testpath/".config/hookbell/config.yaml").write "channels: { here: { type: inbox } }\nroutes: []\n"
    begin
      system bin/"hookbell", "start"
      system bin/"hookbell", "trigger", "Stop"
      assert_match "Stop", shell_output("#{bin}/hookbell --json history")
    ensure
      system bin/"hookbell", "stop"
    end
  end
end
