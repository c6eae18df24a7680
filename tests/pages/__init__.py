"""Pages of the documentation as something that can be run.

A fenced block of the language `console` is a session: lines after `$ ` are commands (`> ` goes on with one),
the others are what they print. In these, `…` stands for any text, and alone on a line for any lines. A comment
before a block changes what is done with it:

    <!-- exit: 1 -->          the last command ends with this status
    <!-- background -->       the command goes on running, on a terminal; what is shown must come
    <!-- more -->             what the background command printed since
    <!-- file: a/b.md -->     the block is a file that the reader writes
    <!-- skip: why -->        the block cannot be run here
"""
