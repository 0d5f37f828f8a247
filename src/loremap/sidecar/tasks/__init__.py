"""What the small model is asked: each a prompt, a form for the answer, and code that checks it.

What is asked about comes from transcripts and repositories; it stands after a mark and is called
data. Whatever the answer says, only numbers of what was shown, words of a closed set and words that
code finds again in what was shown are taken from it.
"""
